import { useEffect, useRef } from 'preact/hooks'
import { urlOf } from '../../api/call.ts'
import { theme } from '../../shell/theme.ts'
import type { PageProps } from '../../paths.ts'
import { Copy } from '../../ui/copy.tsx'
import { Card } from '../../ui/card.tsx'
import { AnswerState, Empty } from '../../ui/parts.tsx'
import { TextTree } from '../../ui/text-tree.tsx'
import { definitionOf } from './entity.ts'
import { EntityHead } from './head.tsx'
import { useEntity } from './use-entity.ts'

/** The definition of an API: OpenAPI as a reference, anything else as its text. */
export default function DefinitionPage({ parameters: address }: PageProps<'definition'>) {
  const answer = useEntity(address)
  const { value: entity } = answer
  const definition = entity === undefined ? undefined : definitionOf(entity)
  const type = entity?.spec?.type ?? ''
  return (
    <>
      <EntityHead answer={answer} address={address} />
      <AnswerState answer={answer}>Reading the catalog…</AnswerState>
      {entity !== undefined && definition === undefined && (
        <Empty title="No definition">
          <p>
            Its file has no <code>spec.definition</code>.
          </p>
        </Empty>
      )}
      {definition !== undefined && (
        <Card
          id="definition"
          title={`Definition (${type})`}
          end={
            <span class="definition-end">
              <Copy text={definition} name="the definition" />
              <a
                class="button"
                href={urlOf('/api/v1/catalog/entities/{kind}/{name}/definition', {
                  params: address,
                })}
                download={`${address.name}.txt`}
              >
                Download
              </a>
            </span>
          }
        >
          {type.toLowerCase() === 'openapi' ? (
            <Reference definition={definition} />
          ) : (
            <TextTree text={definition} name="Text of the definition" />
          )}
        </Card>
      )}
    </>
  )
}

const FRAME = '/docs/reference.html'
/** The frame scrolls by itself beyond it. */
const HEIGHT_MAX_PX = 20_000

/** Swagger UI in a frame of an origin of its own: whoever writes a definition gets neither the session nor the page. */
function Reference({ definition }: { readonly definition: string }) {
  const frame = useRef<HTMLIFrameElement>(null)
  const colours = theme.value
  const send = () =>
    frame.current?.contentWindow?.postMessage({ definition, theme: theme.peek() }, '*')
  useEffect(() => send(), [definition, colours])
  useEffect(() => {
    const hear = ({ source, data }: MessageEvent<{ readonly height?: unknown } | null>) => {
      const height = data?.height
      const { current } = frame
      if (current === null || source !== current.contentWindow) return
      if (typeof height === 'number' && height > 0) {
        current.style.height = `${Math.min(height, HEIGHT_MAX_PX)}px`
      }
    }
    addEventListener('message', hear)
    return () => removeEventListener('message', hear)
  }, [])
  return (
    <iframe
      ref={frame}
      class="definition-frame"
      title="Reference of the API"
      src={FRAME}
      sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
      onLoad={send}
    />
  )
}
