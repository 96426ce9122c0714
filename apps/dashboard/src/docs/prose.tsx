import { operations } from 'virtual:operation-list'
import { Fragment } from 'react'
import { operationLink } from './place.ts'

const ids = new Set(operations.map(({ id }) => id))

/** A text of the protocol: what is between backticks is code, and names of operations are links. */
export function Prose({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
      <code key={index} className="rounded bg-line/50 px-1 font-mono text-[0.92em]">
        {part}
      </code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
      <Linked key={index} text={part} />
    ),
  )
}

function Linked({ text }: { text: string }) {
  return text.split(/\b([a-z]+[A-Z]\w+)\b/).map((word, index) =>
    ids.has(word) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
      <a key={index} href={operationLink(word)} className="text-accent underline">
        {word}
      </a>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity.
      <Fragment key={index}>{word}</Fragment>
    ),
  )
}
