import { Play, Square } from 'lucide-react'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { ErrorNote } from '../ui/notes.tsx'
import { AnswerView } from './answer-view.tsx'
import { BodyField } from './body-field.tsx'
import { useCredential } from './credential.tsx'
import { type Inputs, neededIn } from './inputs.ts'
import { ParameterFields } from './parameter-fields.tsx'
import type { OperationDetails, OperationEntry } from './reference-data.ts'
import { problemsIn } from './request-problems.ts'
import { type Answer, send } from './send.ts'
import { ValueField } from './value-field.tsx'
import { useValues } from './values.tsx'

/** The request of an operation to fill in and to send. */
export function RunForm({
  entry,
  details,
  inputs,
  onChange,
}: {
  entry: OperationEntry
  details: OperationDetails
  inputs: Inputs
  onChange: (inputs: Inputs) => void
}) {
  const { values } = useValues()
  const { credential } = useCredential()
  const [problems, setProblems] = useState<Readonly<Record<string, string>>>({})
  const [answer, setAnswer] = useState<Answer | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [running, setRunning] = useState<AbortController | null>(null)
  const form = useRef<HTMLFormElement>(null)
  // What still runs is of no use to anybody once the page is left.
  useEffect(() => () => running?.abort(), [running])

  const run = async (event: FormEvent) => {
    event.preventDefault()
    const found = problemsIn(entry, details, inputs, values)
    setProblems(found)
    if (Object.keys(found).length > 0) {
      requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus())
      return
    }
    const started = new AbortController()
    setRunning(started)
    setAnswer(null)
    setFailure(null)
    try {
      const { signal } = started
      await send({ entry, details, inputs, values, credential, signal, onAnswer: setAnswer })
    } catch (error) {
      if (!started.signal.aborted) setFailure(error)
    } finally {
      setRunning(null)
    }
  }

  return (
    <div className="flex flex-col gap-4">
      <form ref={form} onSubmit={run} noValidate className="flex flex-col gap-3">
        {neededIn(entry, inputs).map(name => (
          <ValueField key={name} name={name} problem={problems[`{${name}}`]} />
        ))}
        <ParameterFields details={details} inputs={inputs} problems={problems} onChange={onChange} />
        <BodyField details={details} inputs={inputs} problem={problems['body']} onChange={onChange} />
        {details.isFollowed && details.answers !== 'events' && (
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={inputs.isFollowed}
              onChange={event => onChange({ ...inputs, isFollowed: event.target.checked })}
            />
            Follow what happens, as a stream of events
          </label>
        )}
        <div className="flex gap-2">
          <Button
            type="submit"
            look={entry.method === 'DELETE' ? 'danger' : 'primary'}
            disabled={running !== null}
          >
            <Play /> Run
          </Button>
          {running && (
            <Button onClick={() => running.abort()}>
              <Square /> Stop
            </Button>
          )}
        </div>
      </form>
      {failure !== null && <ErrorNote error={failure} />}
      {answer && <AnswerView answer={answer} />}
    </div>
  )
}
