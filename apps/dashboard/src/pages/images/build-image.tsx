import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useCall } from '../../app/calls.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Input, Select, TextArea } from '../../ui/input.tsx'
import { ErrorNote } from '../../ui/notes.tsx'
import { problemsOf } from '../../ui/problems.ts'
import { useBuild } from './build.ts'

/** Builds an image from packages and a script, and shows the log meanwhile. Closing the dialog cancels it. */
export function BuildImage({ onClose }: { onClose: () => void }) {
  const shapes = useQuery(useCall('listShapes'))
  const [name, setName] = useState('')
  const [shape, setShape] = useState('')
  const [packages, setPackages] = useState('')
  const [script, setScript] = useState('')
  const build = useBuild()
  const problems = problemsOf(build.error)
  const shapeName = shape || (shapes.data?.[0]?.name ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const apt = packages.split(/[\s,]+/).filter(Boolean)
    const steps = [...(apt.length > 0 ? [{ apt }] : []), ...(script.trim() ? [{ run: script }] : [])]
    void build.start({ name, from: { shapeName }, steps })
  }
  const close = () => {
    build.cancel()
    onClose()
  }
  return (
    <Dialog
      title="Build an image"
      about="More kinds of steps, such as files and variables, are in the command line: sandglass images build."
      isOpen
      isWide
      onClose={close}
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label="Name" problem={problems['name']}>
          <Input value={name} onChange={event => setName(event.target.value)} />
        </Field>
        <Field label="Begin with" problem={problems['from']}>
          <Select value={shapeName} onChange={event => setShape(event.target.value)}>
            {(shapes.data ?? []).map(each => (
              <option key={each.name}>{each.name}</option>
            ))}
          </Select>
        </Field>
        <Field label="Debian packages" hint="Separated by spaces." problem={problemBelow(problems, 'steps')}>
          <Input value={packages} placeholder="gimp jq" onChange={event => setPackages(event.target.value)} />
        </Field>
        <Field label="Script" hint="Runs as root, after the packages were installed.">
          <TextArea
            rows={4}
            className="font-mono"
            value={script}
            onChange={event => setScript(event.target.value)}
          />
        </Field>
        {build.error && Object.keys(problems).length === 0 ? <ErrorNote error={build.error} /> : null}
        {build.log !== '' && (
          <pre
            role="log"
            aria-label="Log"
            className="max-h-64 overflow-auto rounded-md bg-ground p-3 font-mono text-[13px] whitespace-pre-wrap"
          >
            {build.log}
          </pre>
        )}
        <div className="flex justify-end gap-2">
          <Button onClick={close}>{build.state === 'done' ? 'Close' : 'Cancel'}</Button>
          {build.state !== 'done' && (
            <Button type="submit" look="primary" disabled={build.state === 'building'}>
              {build.state === 'building' ? 'Building…' : 'Build'}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

function problemBelow(problems: Readonly<Record<string, string>>, field: string): string | undefined {
  return Object.entries(problems).find(([path]) => path === field || path.startsWith(`${field}.`))?.[1]
}
