import { KeyRound } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Panel } from '../ui/panel.tsx'
import { type Caller, type Credential, useCredential } from './credential.tsx'

/** Says with what requests are sent, and takes a key. */
export function CredentialPanel() {
  const { credential, enterKey } = useCredential()
  const [key, setKey] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void enterKey(key.trim())
    setKey('')
  }
  return (
    <Panel aria-label="Credential" className="flex flex-col gap-3">
      <p className="flex items-center gap-2" role="status">
        <KeyRound className="size-4 shrink-0" aria-hidden="true" />
        <span>
          <Sentence credential={credential} />
        </span>
      </p>
      {credential.kind === 'key' ? (
        <div>
          <Button size="small" onClick={() => void enterKey('')}>
            Forget the key
          </Button>
        </div>
      ) : (
        <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
          <div className="min-w-0 flex-1 basis-60">
            <Field
              label={credential.kind === 'session' ? 'Use a key instead' : 'Key'}
              hint="An API key, an operator key or a trial token. It stays in this tab, and is gone when you reload."
            >
              <Input
                type="password"
                autoComplete="off"
                spellCheck={false}
                value={key}
                onChange={event => setKey(event.target.value)}
              />
            </Field>
          </div>
          <Button type="submit" className="mb-6" disabled={key.trim() === ''}>
            Use the key
          </Button>
        </form>
      )}
    </Panel>
  )
}

function Sentence({ credential }: { credential: Credential }) {
  if (credential.kind === 'none')
    return (
      <>
        You are not signed in.{' '}
        <a href="/sign-in" className="text-accent underline">
          Sign in
        </a>{' '}
        to the dashboard, or enter a key to run requests.
      </>
    )
  const { caller } = credential
  if (credential.kind === 'session') return `Requests are sent as ${nameOf(caller)}, who is signed in.`
  return caller
    ? `Requests are sent with the key ${nameOf(caller)}.`
    : 'Requests are sent with the key that you entered.'
}

function nameOf(caller: Caller | null): string {
  if (!caller) return ''
  return caller.role ? `“${caller.name}” (role ${caller.role})` : `“${caller.name}”`
}
