import type { Plan } from '@sandglass/protocol'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../app/calls.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { Input } from '../../ui/input.tsx'
import { problemsOf } from '../../ui/problems.ts'

type LimitName = Exclude<keyof Plan, 'name' | 'tier'>

const limits: readonly (readonly [LimitName, string])[] = [
  ['concurrentSandboxes', 'Sandboxes at once'],
  ['machineImages', 'Images'],
  ['snapshots', 'Snapshots'],
  ['volumes', 'Volumes'],
  ['volumesMiB', 'MiB of all volumes'],
  ['webhooks', 'Webhooks'],
]

/** Makes a plan, or changes it for all organizations that have it. */
export function PlanForm({ plan, onClose }: { plan?: Plan; onClose: () => void }) {
  const [name, setName] = useState(plan?.name ?? '')
  const [tier, setTier] = useState(String(plan?.tier ?? 0))
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(limits.map(([id]) => [id, String(plan?.[id] ?? '')])),
  )
  const create = useChange('createPlan', ['listPlans'])
  const update = useChange('updatePlan', ['listPlans'])
  const change = plan ? update : create
  const problems = problemsOf(change.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const limitOf = (id: LimitName) => (texts[id] ? Number(texts[id]) : null)
    const body = {
      tier: Number(tier),
      concurrentSandboxes: limitOf('concurrentSandboxes'),
      machineImages: limitOf('machineImages'),
      snapshots: limitOf('snapshots'),
      volumes: limitOf('volumes'),
      volumesMiB: limitOf('volumesMiB'),
      webhooks: limitOf('webhooks'),
    }
    if (plan) update.mutate({ planName: plan.name, body }, { onSuccess: onClose })
    else create.mutate({ body: { ...body, name } }, { onSuccess: onClose })
  }
  return (
    <Dialog
      title={plan ? `Change the plan ${plan.name}` : 'New plan'}
      about="An empty limit means that there is none."
      isOpen
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {!plan && (
          <Field label="Name" problem={problems['name']}>
            <Input value={name} onChange={event => setName(event.target.value)} />
          </Field>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Tier" hint="Allows shapes up to this tier." problem={problems['tier']}>
            <Input type="number" value={tier} onChange={event => setTier(event.target.value)} />
          </Field>
          {limits.map(([id, title]) => (
            <Field key={id} label={title} problem={problems[id]}>
              <Input
                type="number"
                value={texts[id] ?? ''}
                onChange={({ target }) => setTexts({ ...texts, [id]: target.value })}
              />
            </Field>
          ))}
        </div>
        <FormEnd action={plan ? 'Save' : 'Create'} change={change} onClose={onClose} />
      </form>
    </Dialog>
  )
}
