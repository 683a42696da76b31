export const PROMOTIONS_REVISION = 'x-promotions-revision'

export const promotionsHeaderDocs = {
  'X-Promotions-Revision':
    'Revision of the topic `promotions`: an event with the same one tells nothing that this answer lacks',
}
