import type { Organization } from '@sandglass/protocol'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useCall, useChange } from '../../app/calls.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { Input, Select } from '../../ui/input.tsx'
import { problemsOf } from '../../ui/problems.ts'

/** Makes an organization with an owner key, or changes one. */
export function OrganizationForm({
  organization,
  onClose,
  onCreated,
}: {
  organization?: Organization
  onClose: () => void
  onCreated: (ownerKey: string | undefined) => void
}) {
  const plans = useQuery(useCall('listPlans'))
  const [name, setName] = useState(organization?.name ?? '')
  const [plan, setPlan] = useState(organization?.plan ?? 'unlimited')
  const [flags, setFlags] = useState(organization?.featureFlags.join(', ') ?? '')
  const create = useChange('createOrganization', ['listOrganizations'])
  const update = useChange('updateOrganization', ['listOrganizations'])
  const change = organization ? update : create
  const problems = problemsOf(change.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = { name, plan, featureFlags: flags.split(/[\s,]+/).filter(Boolean) }
    if (organization) update.mutate({ organizationId: organization.id, body }, { onSuccess: onClose })
    else create.mutate({ body }, { onSuccess: ({ ownerKey }) => onCreated(ownerKey.apiKey) })
  }
  return (
    <Dialog
      title={organization ? `Change ${organization.name}` : 'New organization'}
      isOpen
      onClose={onClose}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Name" problem={problems['name']}>
          <Input value={name} onChange={event => setName(event.target.value)} />
        </Field>
        <Field label="Plan" problem={problems['plan']}>
          <Select value={plan} onChange={event => setPlan(event.target.value)}>
            {(plans.data ?? []).map(each => (
              <option key={each.name}>{each.name}</option>
            ))}
          </Select>
        </Field>
        <Field
          label="Feature flags"
          hint="Separated by commas."
          problem={Object.entries(problems).find(([path]) => path.startsWith('featureFlags'))?.[1]}
        >
          <Input value={flags} onChange={event => setFlags(event.target.value)} />
        </Field>
        <FormEnd action={organization ? 'Save' : 'Create'} change={change} onClose={onClose} />
      </form>
    </Dialog>
  )
}
