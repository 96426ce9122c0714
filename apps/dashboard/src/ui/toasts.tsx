import { Toast } from 'radix-ui'
import { useSyncExternalStore } from 'react'

interface Shown {
  readonly id: number
  readonly text: string
  readonly isProblem: boolean
}

let shown: readonly Shown[] = []
let lastId = 0
const listeners = new Set<() => void>()

/** Says something for a few seconds, at the edge of the page. */
export function toast(text: string, { isProblem = false } = {}): void {
  set([...shown, { id: ++lastId, text, isProblem }])
}

export function Toasts() {
  const all = useSyncExternalStore(subscribe, () => shown)
  return (
    <Toast.Provider duration={5000}>
      {all.map(({ id, text, isProblem }) => (
        <Toast.Root
          key={id}
          type={isProblem ? 'foreground' : 'background'}
          onOpenChange={open => !open && set(shown.filter(other => other.id !== id))}
          className="rounded-md border border-line bg-raised px-4 py-3 shadow-shade data-[problem=true]:text-wrong"
          data-problem={isProblem}
        >
          <Toast.Description>{text}</Toast.Description>
        </Toast.Root>
      ))}
      <Toast.Viewport className="fixed right-0 bottom-0 z-50 flex w-full max-w-sm flex-col gap-2 p-4" />
    </Toast.Provider>
  )
}

function set(next: readonly Shown[]): void {
  shown = next
  for (const listener of listeners) listener()
}

function subscribe(onChange: () => void): () => void {
  listeners.add(onChange)
  return () => void listeners.delete(onChange)
}
