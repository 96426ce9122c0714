import { createContext, type ReactNode, use, useMemo, useState } from 'react'
import { orgIdOf, useCredential } from './credential.tsx'

export type Values = Readonly<Record<string, string>>

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

/** The placeholders in texts, each once. Braces of JSON are never around a single word. */
export function placeholdersIn(...texts: readonly string[]): string[] {
  return [...new Set(texts.flatMap(text => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)))]
}

/** Replaces placeholders; those without a value stay. */
export function fill(
  text: string,
  values: Values,
  write: (value: string) => string = value => value,
): string {
  return text.replaceAll(/\{(\w+)\}/g, (hole, name: string) => (values[name] ? write(values[name]) : hole))
}
