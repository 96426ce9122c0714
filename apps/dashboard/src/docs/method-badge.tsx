import type { OperationEntry } from './reference-data.ts'

const looks = {
  GET: 'text-info',
  POST: 'text-good',
  PUT: 'text-warn',
  PATCH: 'text-warn',
  DELETE: 'text-wrong',
} as const

/** The method of an operation, in its colour. */
export function MethodBadge({ method }: { method: OperationEntry['method'] }) {
  return (
    <span className={`w-12 shrink-0 font-mono text-[11px] font-semibold ${looks[method]}`}>{method}</span>
  )
}
