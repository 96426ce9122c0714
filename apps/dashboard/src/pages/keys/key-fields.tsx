import type { Role } from '@sandglass/protocol'
import { rolesUpTo } from '../../app/rights.ts'
import { usePerson } from '../../app/session.ts'
import { Field } from '../../ui/field.tsx'
import { Input, Select } from '../../ui/input.tsx'

/** What a role is for, in a few words. */
const aboutRoles: Readonly<Record<Role, string>> = {
  viewer: 'reads',
  member: 'also creates and uses machines',
  admin: 'also manages keys, projects and webhooks',
  owner: 'also reads the audit log',
}

export interface KeyValues {
  readonly name: string
  readonly role: Role
  /** Empty if it does not expire, or stays as it is. */
  readonly days: string
}

export function KeyFields({
  values,
  problems,
  daysHint,
  onChange,
}: {
  values: KeyValues
  problems: Readonly<Record<string, string>>
  daysHint: string
  onChange: (values: KeyValues) => void
}) {
  const set = (change: Partial<KeyValues>) => onChange({ ...values, ...change })
  // Nobody gives more than they have.
  const roles = rolesUpTo(usePerson().role)
  return (
    <>
      <Field label="Name" problem={problems['name']}>
        <Input value={values.name} onChange={event => set({ name: event.target.value })} />
      </Field>
      <Field label="Role" problem={problems['role']}>
        <Select value={values.role} onChange={event => set({ role: event.target.value as Role })}>
          {roles.map(role => (
            <option key={role} value={role}>
              {role}: {aboutRoles[role]}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="Days until it expires" hint={daysHint} problem={problems['expiresInSeconds']}>
        <Input
          type="number"
          min={0}
          step="any"
          value={values.days}
          onChange={event => set({ days: event.target.value })}
        />
      </Field>
    </>
  )
}

/** The time of a key in seconds, if one was given. */
export function secondsOf({ days }: KeyValues): { readonly expiresInSeconds?: number } {
  return days === '' ? {} : { expiresInSeconds: Math.round(Number(days) * 86_400) }
}
