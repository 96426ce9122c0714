import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { callOf } from '../../app/calls.ts'
import { serviceClient } from '../../app/client.ts'
import { whoami } from '../../app/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { ErrorNote, Loading } from '../../ui/notes.tsx'
import { useTitle } from '../../ui/page.tsx'
import { messageOf } from '../../ui/problems.ts'
import { takeFragment } from './address-fragment.ts'

/** The service sends people back with one of these codes. */
const issuerErrors: Readonly<Record<string, string>> = {
  'session.ISSUER_REFUSED': 'The issuer did not sign you in. Try again, or ask the operator of this service.',
  'session.ISSUER_UNAVAILABLE': 'The issuer does not answer. Try again later, or use an API key.',
  'session.ATTEMPT_INVALID': 'The sign-in took too long, or was begun in another browser. Begin again.',
  'session.NO_ORGANIZATION':
    'The issuer knows you, but names no organization of this service. Ask its operator.',
}

/** Signs people in with a key, with the issuer of the operator, or with a link that works once. */
export function SignInPage() {
  useTitle('Sign in')
  const { to = '/' } = useSearch({ from: '/sign-in' })
  const [apiKey, setApiKey] = useState('')
  const [{ code, error: issuerError }] = useState(takeFragment)
  const { enter, isPending, error } = useEnter(to)
  const { data: methods } = useQuery(callOf('-', 'listSignInMethods'))
  useEffect(() => {
    if (code !== undefined) void enter({ code })
  }, [code, enter])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void enter({ apiKey: apiKey.trim() })
  }
  const issuer = methods?.openIdConnect
  if (code !== undefined && isPending) return <Loading what="Signing in" />
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <div className="flex w-full max-w-sm flex-col gap-5 rounded-xl border border-line bg-panel p-6 shadow-shade">
        <h1 className="text-xl font-semibold">Sign in to Sandglass</h1>
        {issuerError && <ErrorNote error={issuerErrors[issuerError] ?? 'The sign-in failed. Try again.'} />}
        {code !== undefined && error ? <ErrorNote error={error} /> : null}
        {issuer && (
          <>
            <Button asChild look="primary">
              <a href={`/sign-in/openid?to=${encodeURIComponent(to)}`}>Sign in with {issuer.name}</a>
            </Button>
            <p className="text-center text-[13px] text-quiet">or</p>
          </>
        )}
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field
            label="API key"
            hint="A key of your organization, a trial token, or the operator key."
            problem={code === undefined && error ? messageOf(error) : undefined}
          >
            <Input
              type="password"
              autoComplete="off"
              required
              value={apiKey}
              onChange={event => setApiKey(event.target.value)}
            />
          </Field>
          <Button type="submit" look={issuer ? 'plain' : 'primary'} disabled={isPending}>
            Sign in
          </Button>
        </form>
        <p className="text-[13px] text-quiet">
          On the machine that runs the service, <code>sandglass sign-in</code> prints a link that signs you
          in.
        </p>
      </div>
    </main>
  )
}

function useEnter(to: string) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [state, setState] = useState<{ readonly isPending: boolean; readonly error?: unknown }>({
    isPending: false,
  })
  const [enter] = useState(() => async (body: { apiKey: string } | { code: string }) => {
    setState({ isPending: true })
    try {
      const person = await serviceClient.createSession({ body })
      // What somebody else has read in this browser is not for this person.
      queries.clear()
      queries.setQueryData(whoami.queryKey, person)
      await navigate({ href: to.startsWith('/') && !/^\/[/\\]/.test(to) ? to : '/' })
      setState({ isPending: false })
    } catch (error) {
      setState({ isPending: false, error })
    }
  })
  return { enter, ...state }
}
