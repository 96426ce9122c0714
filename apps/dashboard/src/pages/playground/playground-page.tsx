import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCall } from '../../app/calls.ts'
import { Field } from '../../ui/field.tsx'
import { Select, TextArea } from '../../ui/input.tsx'
import { ErrorNote } from '../../ui/notes.tsx'
import { Page } from '../../ui/page.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Drawing } from './drawing.tsx'
import { Readings } from './readings.tsx'
import { RunText } from './run-text.tsx'
import { useReadings } from './use-readings.ts'
import { useScreen } from './use-screen.ts'

const example = 'Thought: The menu is in the corner.\nAction: click(start_box="(24,24)")'

/** What a model has printed, what each parser reads in it, where that is on a screen, and what comes of it. */
export function PlaygroundPage() {
  const [text, setText] = useState(example)
  const [chosenSandbox, setSandbox] = useState('')
  const [chosenType, setType] = useState('')
  const { data: sandboxes = [] } = useQuery(useCall('listSandboxes', {}))
  const running = sandboxes.filter(({ status }) => status === 'RUNNING')
  const sandboxId = chosenSandbox || (running[0]?.id ?? '')
  const screen = useScreen(sandboxId)
  const { readings, error } = useReadings(text, screen.size)
  const found = readings.filter(({ parsed }) => parsed && parsed.actions.length > 0)
  const type = chosenType || (found[0]?.type ?? '')
  const shown = readings.find(reading => reading.type === type)
  return (
    <Page title="Playground" about="Paste what a model printed, and see what the parsers make of it.">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Panel className="flex flex-col gap-4">
            <Field label="Output of the model">
              <TextArea
                rows={8}
                className="font-mono"
                value={text}
                onChange={event => setText(event.target.value)}
              />
            </Field>
            <Field
              label="Sandbox"
              hint={running.length === 0 ? 'No sandbox runs, so nothing is drawn.' : undefined}
            >
              <Select value={sandboxId} onChange={event => setSandbox(event.target.value)}>
                {running.length === 0 && <option value="">None</option>}
                {running.map(({ id, name, shapeName }) => (
                  <option key={id} value={id}>
                    {name} ({shapeName})
                  </option>
                ))}
              </Select>
            </Field>
            {error && <ErrorNote error={error} />}
          </Panel>
          <Readings readings={readings} chosen={type} onChoose={setType} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {screen.error && <ErrorNote error={screen.error} />}
          {screen.picture && (
            <Drawing picture={screen.picture} size={screen.size} actions={shown?.parsed?.actions ?? []} />
          )}
          {sandboxId && (
            <RunText
              sandboxId={sandboxId}
              type={type}
              text={text}
              canRun={(shown?.parsed?.actions.length ?? 0) > 0}
              onRan={screen.look}
            />
          )}
        </div>
      </div>
    </Page>
  )
}
