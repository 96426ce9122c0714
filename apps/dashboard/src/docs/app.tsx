import { Menu, Moon, Sun } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { chooseTheme } from '../app/theme.ts'
import { useShownTheme } from '../app/use-theme.ts'
import { Button } from '../ui/button.tsx'
import { Loading } from '../ui/notes.tsx'
import { CredentialProvider } from './credential.tsx'
import { OperationList } from './operation-list.tsx'
import { usePlace } from './place.ts'
import { ValuesProvider } from './values.tsx'

const Contents = lazy(() => import('./contents.tsx'))

/** The page of the API: all operations, and one of them in full. */
export function DocsApp() {
  const place = usePlace()
  const [isListOpen, setListOpen] = useState(false)
  const searchField = useRef<HTMLInputElement>(null)
  useSearchKey(() => {
    setListOpen(true)
    // On a narrow screen the field is only there once the list is shown.
    requestAnimationFrame(() => searchField.current?.focus())
  })
  return (
    <CredentialProvider>
      <ValuesProvider>
        <div className="flex h-full flex-col">
          <button
            type="button"
            onClick={() => document.getElementById('main')?.focus()}
            className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2"
          >
            To the contents
          </button>
          <header className="flex items-center gap-1 border-b border-line bg-panel px-2 py-2 md:px-3">
            <Button
              look="quiet"
              size="icon"
              className="md:hidden"
              aria-label="Operations"
              aria-expanded={isListOpen}
              onClick={() => setListOpen(!isListOpen)}
            >
              <Menu />
            </Button>
            <a href="#/" className="font-semibold whitespace-nowrap">
              <span className="hidden sm:inline">Sandglass </span>API
            </a>
            <nav aria-label="Pages" className="ml-auto flex items-center">
              <HeaderLink href="#/errors">Errors</HeaderLink>
              <HeaderLink href="#/events">Events</HeaderLink>
              <HeaderLink href="/docs/guide">Guide</HeaderLink>
              <HeaderLink href="/">Dashboard</HeaderLink>
            </nav>
            <ThemeButton />
          </header>
          <div className="flex min-h-0 flex-1">
            <div
              className={`${isListOpen ? 'flex' : 'hidden'} w-full min-h-0 shrink-0 flex-col border-line bg-panel md:flex md:w-72 md:border-r`}
            >
              <OperationList place={place} searchField={searchField} onGo={() => setListOpen(false)} />
            </div>
            <main
              id="main"
              tabIndex={-1}
              className={`${isListOpen ? 'hidden md:block' : ''} min-h-0 min-w-0 flex-1 overflow-y-auto outline-none`}
            >
              <Suspense fallback={<Loading />}>
                <Contents place={place} />
              </Suspense>
            </main>
          </div>
        </div>
      </ValuesProvider>
    </CredentialProvider>
  )
}

function HeaderLink({ href, children }: { href: string; children: string }) {
  return (
    <a href={href} className="rounded-md px-2 py-1.5 hover:bg-accent-soft">
      {children}
    </a>
  )
}

function ThemeButton() {
  const theme = useShownTheme()
  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <Button look="quiet" size="icon" aria-label={`Use ${other} colours`} onClick={() => chooseTheme(other)}>
      {theme === 'dark' ? <Sun /> : <Moon />}
    </Button>
  )
}

/** `/` leads to the search from everywhere but fields, where people type it. */
function useSearchKey(onPress: () => void): void {
  const latest = useRef(onPress)
  latest.current = onPress
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.target instanceof Element && event.target.matches('input, textarea, select')) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
