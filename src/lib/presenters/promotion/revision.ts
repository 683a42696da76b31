export const PROMOTIONS_REVISION = 'x-promotions-revision'

export const PROMOTION_REVISION = 'x-promotion-revision'

export const promotionHeaderDocs = {
  'X-Promotion-Revision':
    'Revision of the topic `promotion:` of this entity, where it is known at once: an event with the same one tells nothing that this answer lacks',
}

export const promotionsHeaderDocs = {
  'X-Promotions-Revision':
    'Revision of the topic `promotions`: an event with the same one tells nothing that this answer lacks',
}
