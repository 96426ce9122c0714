import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCall } from '../../app/calls.ts'
import { Badge } from '../../ui/badge.tsx'
import { Input } from '../../ui/input.tsx'
import { ErrorNote, Loading } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { RotateOperatorKey } from './rotate-operator-key.tsx'

/** The settings with which the service was started. They are environment variables, so they are not changed here. */
export function SettingsPage() {
  const { data, error } = useQuery(useCall('getSettings'))
  const [text, setText] = useState('')
  const words = text.toLowerCase().split(/\s+/)
  const shown = (data ?? []).filter(({ name, about }) => {
    const searched = `${name} ${about}`.toLowerCase()
    return words.every(word => searched.includes(word))
  })
  return (
    <Page
      title="Settings"
      about="As they apply to the process that answers. They are environment variables, and change with a restart."
      actions={<RotateOperatorKey />}
    >
      <Input
        type="search"
        aria-label="Search settings"
        placeholder="Name or words"
        value={text}
        onChange={event => setText(event.target.value)}
      />
      {error && <ErrorNote error={error} />}
      {!data && !error && <Loading />}
      {data && (
        <Table
          label="Settings"
          rows={shown}
          idOf={({ name }) => name}
          columns={[
            {
              title: 'Setting',
              cell: ({ name, about }) => (
                <>
                  <code className="text-[13px] font-medium break-all">{name}</code>
                  <p className="text-[13px] text-quiet">{about}</p>
                </>
              ),
            },
            {
              title: 'Value',
              cell: ({ value, isSecret, isDefault }) => (
                <span className="break-all">
                  {isSecret ? (isDefault ? 'not set' : 'set, and not shown') : (value ?? 'none')}{' '}
                  {!isDefault && <Badge look="accent">set</Badge>}
                </span>
              ),
            },
          ]}
        />
      )}
    </Page>
  )
}
