import { useState } from 'react'
import { Code } from '../ui/copy.tsx'
import { Tabs } from '../ui/tabs.tsx'
import type { Inputs } from './inputs.ts'
import type { OperationDetails, OperationEntry } from './reference-data.ts'
import { curlSample, typeScriptSample } from './samples.ts'
import { useValues } from './values.tsx'

/** The request as curl, with the client library, and as commands where there are some. */
export function SampleTabs(props: { entry: OperationEntry; details: OperationDetails; inputs: Inputs }) {
  const [shown, setShown] = useState('curl')
  const { values } = useValues()
  const sample = { ...props, values, url: location.origin }
  const { commands } = props.details
  const lines = commands.map(({ command, explanation }) => `# ${explanation}\n${command}`).join('\n\n')
  const texts = [
    { id: 'curl', title: 'curl', text: curlSample(sample) },
    { id: 'typescript', title: 'TypeScript', text: typeScriptSample(sample) },
    { id: 'cli', title: 'Command line', text: lines || undefined },
  ]
  const tabs = texts.flatMap(({ id, title, text }) =>
    text === undefined ? [] : [{ id, title, content: () => <Code label={title} text={text} /> }],
  )
  const [first] = tabs
  if (!first) return null
  return (
    <Tabs
      label="Examples"
      tabs={tabs}
      shown={tabs.some(({ id }) => id === shown) ? shown : first.id}
      onShow={setShown}
    />
  )
}
