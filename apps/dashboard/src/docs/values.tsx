import { createContext, type ReactNode, use, useMemo, useState } from 'react'
import { orgIdOf, useCredential } from './credential.tsx'
import type { Values } from './placeholders.ts'

interface Held {
  /** What placeholders stand for: what was entered on any page, and the organization of the caller. */
  readonly values: Values
  readonly set: (name: string, value: string) => void
}

const Context = createContext<Held>({ values: {}, set: () => {} })

/** Keeps what placeholders stand for, so that an id has to be entered once. */
export function ValuesProvider({ children }: { children: ReactNode }) {
  const [entered, setEntered] = useState<Values>({})
  const orgId = orgIdOf(useCredential().credential)
  const value = useMemo(
    () => ({
      values: { ...(orgId !== undefined && { orgId }), ...entered },
      set: (name: string, text: string) => setEntered(now => ({ ...now, [name]: text })),
    }),
    [entered, orgId],
  )
  return <Context value={value}>{children}</Context>
}

export function useValues(): Held {
  return use(Context)
}
