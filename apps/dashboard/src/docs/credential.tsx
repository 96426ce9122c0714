import { createContext, type ReactNode, use, useCallback, useEffect, useMemo, useState } from 'react'

/** What getWhoami says of a caller, as far as this page needs it. */
export interface Caller {
  readonly name: string
  readonly role: string | null
  readonly orgId: string | null
}

/** With what requests are sent: the session of the dashboard, or a key that only this tab knows, until it is closed or reloaded. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'session'; readonly caller: Caller }
  | { readonly kind: 'key'; readonly key: string; readonly caller: Caller | null }

interface Held {
  readonly credential: Credential
  /** Uses a key from now on; an empty one returns to the session, if there is one. */
  readonly enterKey: (key: string) => Promise<void>
}

const Context = createContext<Held>({ credential: { kind: 'none' }, enterKey: async () => {} })

export function CredentialProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<Caller | null>(null)
  const [held, setHeld] = useState<{ readonly key: string; readonly caller: Caller | null } | null>(null)
  useEffect(() => {
    const leaving = new AbortController()
    whoami(sessionRequest, leaving.signal).then(setSession, () => {})
    return () => leaving.abort()
  }, [])
  const enterKey = useCallback(async (key: string) => {
    if (key === '') return setHeld(null)
    setHeld({ key, caller: null })
    const caller = await whoami(keyRequest(key)).catch(() => null)
    setHeld(now => (now?.key === key ? { key, caller } : now))
  }, [])
  const value = useMemo(
    () => ({ credential: credentialOf(held, session), enterKey }),
    [held, session, enterKey],
  )
  return <Context value={value}>{children}</Context>
}

function credentialOf(
  held: { key: string; caller: Caller | null } | null,
  session: Caller | null,
): Credential {
  if (held) return { kind: 'key', ...held }
  return session ? { kind: 'session', caller: session } : { kind: 'none' }
}

export function useCredential(): Held {
  return use(Context)
}

/** The organization of the caller, if it is known. */
export function orgIdOf(credential: Credential): string | undefined {
  return credential.kind === 'none' ? undefined : (credential.caller?.orgId ?? undefined)
}

const sessionRequest: RequestInit = {
  credentials: 'same-origin',
  headers: { 'x-sandglass-session': '1' },
}

/** A request with a key carries no cookie, since the service refuses two credentials at once. */
function keyRequest(key: string): RequestInit {
  const header = key.startsWith('sgt_')
    ? 'x-trial-session-token'
    : key.startsWith('sg')
      ? 'x-api-key'
      : undefined
  return { credentials: 'omit', headers: header ? { [header]: key } : { authorization: `Bearer ${key}` } }
}

/** How to send a request with a credential. */
export function requestOf(credential: Credential): RequestInit {
  if (credential.kind === 'key') return keyRequest(credential.key)
  return credential.kind === 'session' ? sessionRequest : { credentials: 'omit' }
}

interface Whoami {
  readonly name?: string | null
  readonly kind?: string
  readonly role?: string | null
  readonly organization?: { readonly id: string } | null
}

async function whoami(request: RequestInit, signal?: AbortSignal): Promise<Caller | null> {
  const response = await fetch('/api/whoami', { ...request, ...(signal && { signal }) })
  if (!response.ok) return null
  const { name, kind, role, organization }: Whoami = await response.json()
  return { name: name ?? kind ?? '', role: role ?? null, orgId: organization?.id ?? null }
}
