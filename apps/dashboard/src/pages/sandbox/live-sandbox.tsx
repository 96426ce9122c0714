import type { Connect, Sandbox, Shape } from '@sandglass/protocol'
import { useState } from 'react'
import { useMatches } from '../../ui/media.ts'
import { useTitle } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { SandboxHeader } from './header/sandbox-header.tsx'
import { Screen } from './live/screen.tsx'
import { useShownTab } from './route.ts'
import { useTabs } from './tabs.tsx'

export type ShownSandbox = Sandbox & { readonly shape: Shape }

/** A sandbox that exists: its screen, and everything else about it in tabs. Wide windows show the screen beside them. */
export function LiveSandbox({ sandbox, connectDetails }: { sandbox: ShownSandbox; connectDetails: Connect }) {
  const isWide = useMatches('(min-width: 1600px)')
  // The screen keeps the details that it was opened with.
  const [details] = useState(connectDetails)
  const screen = <Screen sandbox={sandbox} connectDetails={details} />
  const others = useTabs(sandbox)
  const tabs = isWide
    ? others
    : [{ id: 'screen', title: 'Screen', content: () => screen, isKept: true }, ...others]
  const [asked, show] = useShownTab(isWide ? 'timeline' : 'screen')
  const shown = tabs.some(({ id }) => id === asked) ? asked : (tabs[0]?.id ?? '')
  useTitle(sandbox.personNeeded ? `A person is needed: ${sandbox.name}` : sandbox.name)
  return (
    <div className="flex min-h-full flex-col gap-4 p-3 md:p-5">
      <SandboxHeader sandbox={sandbox} />
      <div
        className={isWide ? 'grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)] gap-5' : 'flex min-h-0 flex-col'}
      >
        {isWide && <div className="sticky top-5 self-start">{screen}</div>}
        <Tabs label="About this sandbox" tabs={tabs} shown={shown} onShow={show} />
      </div>
    </div>
  )
}
