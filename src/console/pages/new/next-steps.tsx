import { useResource } from '../../api/resource.ts'
import { pathOf } from '../../paths.ts'
import { Copy } from '../../ui/copy.tsx'
import { OutsideLink } from '../../ui/outside-link.tsx'
import { Card } from '../../ui/card.tsx'
import type { Run } from './steps.ts'

/** The steps of a person after the project is made. The last one opens when the catalog has it. */
export function NextSteps({ run: { appName, repoUrl, prUrl, prNumber } }: { readonly run: Run }) {
  const found = useResource('/api/v1/catalog/entities', {
    query: { kind: 'Component', q: appName, fields: ['metadata.name'], limit: 100 },
    topic: 'catalog',
  })
  const isListed = found.value?.some(({ metadata }) => metadata.name === appName) === true
  const clone = `git clone ${repoUrl ?? ''}`
  return (
    <Card
      id="next"
      title="What to do next"
      end={<span class="muted">{isListed ? 'Merged' : 'Waits for the merge'}</span>}
    >
      <ol class="new-next">
        <li>
          <h3>Get the code</h3>
          <p>
            <code>{clone}</code> <Copy text={clone} name="the command" />
          </p>
          {repoUrl !== null && (
            <OutsideLink class="button" url={repoUrl}>
              Open the repository
            </OutsideLink>
          )}
        </li>
        <li>
          <h3>{isListed ? 'The pull request is merged' : 'Have the pull request merged'}</h3>
          <p>
            {isListed
              ? `It has put ${appName} into the catalog.`
              : `It puts ${appName} into the catalog. The platform team reviews it.`}
          </p>
          {prUrl !== null && (
            <OutsideLink class="button" url={prUrl}>
              Open pull request #{prNumber}
            </OutsideLink>
          )}
        </li>
        <li>
          <h3>Promote it to the first environment</h3>
          {isListed ? (
            <>
              <p>Push a tag: its pipeline builds the image to promote.</p>
              <a class="button" href={pathOf('entity', { kind: 'component', name: appName })}>
                Open {appName}
              </a>
            </>
          ) : (
            <p>Not in the catalog yet: this page notices the merge by itself.</p>
          )}
        </li>
      </ol>
    </Card>
  )
}
