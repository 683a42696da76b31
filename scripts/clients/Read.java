import java.util.List;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.CatalogApi;
import org.openapitools.client.api.ClustersApi;
import org.openapitools.client.api.PromotionApi;
import org.openapitools.client.api.ScaffoldApi;

/** Reads what a portal shows with the generated client of `scripts/clients.ts`. */
public class Read {
  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("PORTICO_URL"));
    client.setRequestInterceptor(
        request -> request.header("Cookie", System.getenv("PORTICO_COOKIE")));
    CatalogApi catalog = new CatalogApi(client);
    System.out.println(
        catalog
                .listEntities(
                    List.of("Component"), null, null, null, null, null, null, null, null, null,
                    null, null, null)
                .size()
            + " "
            + catalog.getEntity("component", "payments-api", null).getMetadata().getName()
            + " "
            + new PromotionApi(client)
                .getPromotion("component", "payments-api", null)
                .getEnvironments()
                .size()
            + " "
            + new ScaffoldApi(client).listTemplates(null).size()
            + " "
            + new ClustersApi(client).listClusters(null).size()
            + " "
            + catalog.listCatalogProblems(null, null, null).size());
  }
}
