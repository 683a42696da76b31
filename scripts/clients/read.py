"""Reads what a portal shows with the generated client of `scripts/clients.ts`."""
import os

import openapi_client as portico

client = portico.ApiClient(
    portico.Configuration(host=os.environ["PORTICO_URL"]), cookie=os.environ["PORTICO_COOKIE"]
)
catalog = portico.CatalogApi(client)
print(
    len(catalog.list_entities(kind=["Component"])),
    catalog.get_entity("component", "payments-api").metadata.name,
    len(portico.PromotionApi(client).get_promotion("component", "payments-api").environments),
    len(portico.ScaffoldApi(client).list_templates()),
    len(portico.ClustersApi(client).list_clusters()),
    len(catalog.list_catalog_problems()),
)
