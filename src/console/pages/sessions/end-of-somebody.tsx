import { useSignal } from '@preact/signals'
import { call } from '../../api/call.ts'
import { refresh } from '../../api/resource.ts'
import { announce } from '../../ui/announce.ts'
import { Field } from '../../ui/field.tsx'
import { Card } from '../../ui/card.tsx'
import { AskingAct } from '../../ui/question.tsx'
import { counted } from '../../ui/words.ts'

/** For the platform team, when somebody has lost a machine or has left. */
export function EndOfSomebody() {
  const subject = useSignal('')

  async function end() {
    const answer = await call('post', '/api/v1/auth/sessions/revoke', {
      body: { subject: subject.value },
    })
    if (!answer.ok) return answer.problem
    announce(`Ended ${counted(answer.value.value.ended, 'session')} of ${subject.value}`)
    subject.value = ''
    await refresh('/api/v1/auth/sessions')
    return undefined
  }

  return (
    <Card id="somebody" title="End the sessions of somebody">
      <form
        class="sessions-form"
        onSubmit={(event) => {
          event.preventDefault()
          event.currentTarget.querySelector('button')?.click()
        }}
      >
        <Field
          path="/subject"
          label="Subject at the identity provider"
          value={subject.value}
          help="As in the audit trail. They can sign in again, unless the provider refuses them."
          onInput={(text) => (subject.value = text.trim())}
        />
        <AskingAct
          label="End all sessions…"
          reason={subject.value === '' ? 'Name the person first' : undefined}
          title={`End all sessions of ${subject.value}`}
          act="End all"
          onAct={end}
        >
          <p>
            Every browser of <bdi>{subject.value}</bdi> is signed out within a second, with
            everything that runs in it.
          </p>
        </AskingAct>
      </form>
    </Card>
  )
}
