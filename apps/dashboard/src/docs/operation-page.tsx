import { type ReactNode, useState } from 'react'
import { Badge } from '../ui/badge.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Field } from '../ui/field.tsx'
import { Select } from '../ui/input.tsx'
import { useTitle } from '../ui/page.tsx'
import { accessText } from './access-text.ts'
import { CredentialPanel } from './credential-panel.tsx'
import { ErrorLines } from './error-lines.tsx'
import { inputsOf } from './inputs.ts'
import { MethodBadge } from './method-badge.tsx'
import { ParameterList } from './parameter-list.tsx'
import { Prose } from './prose.tsx'
import { useReference } from './reference.ts'
import type { OperationDetails, OperationEntry } from './reference-data.ts'
import { ResponseList } from './response-list.tsx'
import { RunForm } from './run-form.tsx'
import { SampleTabs } from './sample-tabs.tsx'
import { SchemaView } from './schema-view.tsx'

/** Everything about one operation: what it takes and returns, what can go wrong, and a form that runs it. */
export function OperationPage({ entry }: { entry: OperationEntry }) {
  const details = useReference().operations[entry.id]
  useTitle(entry.id)
  if (!details) return null
  return (
    <article className="mx-auto grid w-full max-w-7xl gap-6 p-4 md:p-6 xl:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-6">
        <Heading entry={entry} details={details} />
        {details.parameters.length > 0 && (
          <Part title="Parameters">
            <ParameterList parameters={details.parameters} />
          </Part>
        )}
        <BodyPart details={details} />
        <Part title="Response">
          <ResponseList responses={details.responses} />
        </Part>
        <Errors entry={entry} details={details} />
      </div>
      <TryIt entry={entry} details={details} />
    </article>
  )
}

function Heading({ entry, details }: { entry: OperationEntry; details: OperationDetails }) {
  const { deprecated } = details
  return (
    <header className="flex flex-col gap-2">
      <p className="text-[13px] text-quiet">{entry.tag}</p>
      <h1 className="text-xl font-semibold break-words">{entry.id}</h1>
      <p className="flex flex-wrap items-center gap-2">
        <MethodBadge method={entry.method} />
        <code className="min-w-0 font-mono text-[13px] break-all">{entry.path}</code>
        <CopyButton text={location.href} label="Copy the link" />
      </p>
      <p className="text-base">
        <Prose text={entry.summary} />
      </p>
      {deprecated && (
        <p className="rounded-md bg-warn-soft px-3 py-2 text-warn">
          Deprecated since {deprecated.since}. Use {deprecated.successor}.
        </p>
      )}
      <p className="flex flex-wrap items-center gap-2">
        <Badge look="accent">{accessText(details.access)}</Badge>
        {entry.publishedId && <Badge>operationId {entry.publishedId}</Badge>}
      </p>
    </header>
  )
}

function BodyPart({ details: { body } }: { details: OperationDetails }) {
  if (!body) return null
  return (
    <Part title="Body">
      {body.schema ? (
        <SchemaView schema={body.schema} isSent />
      ) : (
        <p>
          {body.kind === 'form'
            ? 'A form with files (multipart/form-data).'
            : 'The bytes of a file, of any size.'}
        </p>
      )}
    </Part>
  )
}

function Errors({ entry, details }: { entry: OperationEntry; details: OperationDetails }) {
  const own = details.errors.filter(code => entry.errors.includes(code))
  const general = details.errors.filter(code => !entry.errors.includes(code))
  return (
    <Part title="Errors">
      <ErrorLines codes={own} />
      <details>
        <summary className="cursor-pointer text-accent">
          {general.length} errors that many operations return
        </summary>
        <ErrorLines codes={general} />
      </details>
    </Part>
  )
}

function TryIt({ entry, details }: { entry: OperationEntry; details: OperationDetails }) {
  const { examples } = details
  const [chosen, choose] = useState(0)
  const [inputs, setInputs] = useState(() => inputsOf(examples[0], details))
  return (
    <div className="flex min-w-0 flex-col gap-6">
      {examples.length > 1 && (
        <Field label="Example">
          <Select
            value={chosen}
            onChange={event => {
              const index = Number(event.target.value)
              choose(index)
              setInputs(inputsOf(examples[index], details))
            }}
          >
            {examples.map(({ title }, index) => (
              <option key={title} value={index}>
                {title}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <SampleTabs entry={entry} details={details} inputs={inputs} />
      <Part title="Run it">
        {details.answers === 'socket' ? (
          <p>This operation opens a WebSocket, which a form cannot use.</p>
        ) : (
          <>
            {details.access.to !== 'public' && <CredentialPanel />}
            <RunForm entry={entry} details={details} inputs={inputs} onChange={setInputs} />
          </>
        )}
      </Part>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2" aria-label={title}>
      <h2 className="text-base font-semibold">{title}</h2>
      {children}
    </section>
  )
}
