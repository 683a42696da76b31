// Reads what a portal shows with the generated client of `scripts/clients.ts`.
package main

import (
	"context"
	"fmt"
	"os"

	portico "github.com/GIT_USER_ID/GIT_REPO_ID"
)

func must[T any](value T, _ any, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	configuration := portico.NewConfiguration()
	configuration.Servers = portico.ServerConfigurations{{URL: os.Getenv("PORTICO_URL")}}
	configuration.AddDefaultHeader("Cookie", os.Getenv("PORTICO_COOKIE"))
	client, all := portico.NewAPIClient(configuration), context.Background()
	fmt.Println(
		len(must(client.CatalogAPI.ListEntities(all).Kind([]string{"Component"}).Execute())),
		must(client.CatalogAPI.GetEntity(all, "component", "payments-api").Execute()).Metadata.Name,
		len(must(client.PromotionAPI.GetPromotion(all, "component", "payments-api").Execute()).Environments),
		len(must(client.ScaffoldAPI.ListTemplates(all).Execute())),
		len(must(client.ClustersAPI.ListClusters(all).Execute())),
		len(must(client.CatalogAPI.ListCatalogProblems(all).Execute())),
	)
}
