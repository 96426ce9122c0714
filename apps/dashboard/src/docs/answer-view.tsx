import { useEffect, useMemo } from 'react'
import { Badge } from '../ui/badge.tsx'
import { Code } from '../ui/copy.tsx'
import type { Answer } from './send.ts'

/** The response to a request that was run. */
export function AnswerView({ answer }: { answer: Answer }) {
  const { status, isOk, ms, requestId, text, isComplete } = answer
  return (
    <section aria-label="Response" className="flex flex-col gap-2">
      <p role="status" className="flex flex-wrap items-center gap-2">
        <Badge look={isOk ? 'good' : 'wrong'}>{status}</Badge>
        <span className="text-[13px] text-quiet">
          {isComplete ? `${ms} ms` : 'Receiving'}
          {requestId && `, request ${requestId}`}
        </span>
      </p>
      {text !== undefined && text !== '' && <Code label="Response" text={pretty(text)} />}
      {text === '' && isComplete && <p className="text-quiet">The response is empty.</p>}
      {text !== undefined && <Screenshot text={text} />}
      {answer.file && <FileView file={answer.file} />}
    </section>
  )
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

/** The screenshot that the response of an action leads to. */
function Screenshot({ text }: { text: string }) {
  const url = useMemo(() => screenshotIn(text), [text])
  if (!url) return null
  return <img src={url} alt="The screen after the action" className="w-full rounded-md border border-line" />
}

/** The page loads pictures of this service only. */
function screenshotIn(text: string): string | undefined {
  try {
    const { screenShot } = Object(JSON.parse(text))
    return new URL(screenShot).origin === location.origin ? screenShot : undefined
  } catch {
    return undefined
  }
}

function FileView({ file }: { file: Blob }) {
  const url = useMemo(() => URL.createObjectURL(file), [file])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return (
    <div className="flex flex-col items-start gap-2">
      {file.type.startsWith('image/') && (
        <img src={url} alt="The response" className="max-w-full rounded-md" />
      )}
      <a href={url} download="response" className="text-accent underline">
        Save the response ({file.size.toLocaleString()} bytes)
      </a>
    </div>
  )
}
