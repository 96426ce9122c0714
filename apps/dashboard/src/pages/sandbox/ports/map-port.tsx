import type { FormEvent } from 'react'
import { useChange } from '../../../app/calls.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { messageOf, problemsOf } from '../../../ui/problems.ts'

/** Gives a port of the machine an address. */
export function MapPort({ sandboxId }: { sandboxId: string }) {
  const map = useChange('createHttpMapping', ['listHttpMappings'])
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const port = String(new FormData(form).get('port')).trim()
    const targetEndpoint = port.includes(':') ? port : `127.0.0.1:${port}`
    map.mutate({ sandboxId, body: { targetEndpoint } }, { onSuccess: () => form.reset() })
  }
  const problem = map.error ? (problemsOf(map.error)['targetEndpoint'] ?? messageOf(map.error)) : undefined
  return (
    <form onSubmit={submit} className="flex items-start gap-3" noValidate>
      <div className="w-56">
        <Field label="Port" hint="Such as 3000 or 127.0.0.1:3000." problem={problem}>
          <Input name="port" inputMode="numeric" autoComplete="off" />
        </Field>
      </div>
      <Button type="submit" look="primary" className="mt-6" disabled={map.isPending}>
        Map
      </Button>
    </form>
  )
}
