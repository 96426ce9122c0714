import { useSyncExternalStore } from 'react'
import { messageOf } from '../../../ui/problems.ts'

/** A file on its way. */
export interface Transfer {
  readonly id: number
  readonly sandboxId: string
  readonly title: string
  readonly doneBytes: number
  /** Not known for a folder that is being packed. */
  readonly totalBytes: number | undefined
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  readonly problem?: string
  readonly cancel: () => void
}

export type Progress = (doneBytes: number) => void

let transfers: readonly Transfer[] = []
let lastId = 0
const listeners = new Set<() => void>()
/** So many at the same time; the others wait. */
const maxRunning = 3
const waiting: (() => void)[] = []
let running = 0

/** The transfers of a sandbox. They go on while another page of the dashboard is shown. */
export function useTransfers(sandboxId: string): readonly Transfer[] {
  const all = useSyncExternalStore(
    onChange => {
      listeners.add(onChange)
      return () => void listeners.delete(onChange)
    },
    () => transfers,
  )
  return all.filter(each => each.sandboxId === sandboxId)
}

/** Runs a transfer when it is its turn, and shows how far it is. */
export async function transfer(
  what: Pick<Transfer, 'sandboxId' | 'title' | 'totalBytes'>,
  work: (report: Progress, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const id = ++lastId
  const cancelling = new AbortController()
  const change = (part: Partial<Transfer>) =>
    set(transfers.map(each => (each.id === id ? { ...each, ...part } : each)))
  const cancel = () => {
    cancelling.abort()
    forget(id)
  }
  set([...transfers, { ...what, id, doneBytes: 0, state: 'waiting', cancel }])
  if (running >= maxRunning) await new Promise<void>(resolve => waiting.push(resolve))
  running++
  try {
    if (cancelling.signal.aborted) return
    change({ state: 'running' })
    await work(doneBytes => change({ doneBytes }), cancelling.signal)
    change({ state: 'done' })
  } catch (error) {
    if (!cancelling.signal.aborted) change({ state: 'failed', problem: messageOf(error) })
  } finally {
    running--
    waiting.shift()?.()
  }
}

export function forget(id: number): void {
  set(transfers.filter(each => each.id !== id))
}

function set(next: readonly Transfer[]): void {
  transfers = next
  for (const listener of listeners) listener()
}
