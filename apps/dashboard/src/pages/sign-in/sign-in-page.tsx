import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { serviceClient } from '../../app/client.ts'
import { whoami } from '../../app/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { useTitle } from '../../ui/page.tsx'
import { messageOf } from '../../ui/problems.ts'

export function SignInPage() {
  useTitle('Sign in')
  const [apiKey, setApiKey] = useState('')
  const [problem, setProblem] = useState<string>()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { to = '/' } = useSearch({ from: '/sign-in' })
  const enter = async (event: FormEvent) => {
    event.preventDefault()
    try {
      queries.setQueryData(whoami.queryKey, await serviceClient.createSession({ body: { apiKey } }))
      await navigate({ href: to.startsWith('/') && !to.startsWith('//') ? to : '/' })
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  return (
    <main className="flex min-h-full items-center justify-center p-4">
      <form
        onSubmit={enter}
        className="flex w-full max-w-sm flex-col gap-4 rounded-xl border border-line bg-panel p-6"
      >
        <h1 className="text-xl font-semibold">Sign in to Sandglass</h1>
        <Field label="API key" problem={problem}>
          <Input
            type="password"
            autoComplete="off"
            value={apiKey}
            onChange={event => setApiKey(event.target.value)}
          />
        </Field>
        <Button type="submit" look="primary">
          Sign in
        </Button>
      </form>
    </main>
  )
}
