import { Outlet } from '@tanstack/react-router'
import { Menu as MenuIcon } from 'lucide-react'
import { Suspense, useState } from 'react'
import { IconButton } from '../ui/icon-button.tsx'
import { Loading } from '../ui/notes.tsx'
import { AccountMenu } from './account-menu.tsx'
import { useAttention } from './attention.ts'
import { useLiveUpdates } from './live-updates.ts'
import { Navigation } from './navigation.tsx'
import { useLeaveWhenSignedOut } from './signed-out.ts'

/** What is around every page: the navigation and who is signed in. */
export function Frame() {
  const isLeaving = useLeaveWhenSignedOut()
  if (isLeaving) return <Loading what="Signing out" />
  return <SignedInFrame />
}

function SignedInFrame() {
  const [isOpen, setOpen] = useState(false)
  useLiveUpdates()
  useAttention()
  return (
    <div className="flex h-full flex-col md:flex-row">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-raised focus:px-3 focus:py-2"
      >
        To the contents
      </a>
      <header className="flex items-center justify-between gap-2 border-b border-line bg-panel px-2 py-1 md:hidden">
        <IconButton label="Navigation" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <MenuIcon />
        </IconButton>
        <span className="font-semibold">Sandglass</span>
        <AccountMenu />
      </header>
      <div
        className={`${isOpen ? 'flex' : 'hidden'} w-full shrink-0 flex-col border-line bg-panel md:flex md:w-52 md:border-r`}
      >
        <div className="hidden items-center justify-between px-3 py-3 md:flex">
          <span className="text-base font-semibold">Sandglass</span>
        </div>
        <Navigation onGo={() => setOpen(false)} />
        <div className="mt-auto hidden border-t border-line p-2 md:block">
          <AccountMenu isWide />
        </div>
      </div>
      <main id="main" tabIndex={-1} className="min-h-0 min-w-0 flex-1 overflow-y-auto outline-none">
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  )
}
