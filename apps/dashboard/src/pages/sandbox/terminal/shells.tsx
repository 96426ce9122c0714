import type { ListedShell } from '@sandglass/protocol'
import { Plus, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Empty } from '../../../ui/notes.tsx'
import type { Box } from '../box.ts'
import { OtherShells } from './other-shells.tsx'
import { ScreenReaderSwitch, useScreenReader } from './screen-reader.tsx'
import { ShellTerminal } from './shell-terminal.tsx'
import { useOpenShells } from './use-open-shells.ts'

/** Several shells, of which one is shown. A person who comes back finds those that run. */
export function Shells({ box, running }: { box: Box; running: readonly ListedShell[] }) {
  const { open, shown, show, add, attach, started, close } = useOpenShells(box, running)
  const isForReaders = useScreenReader()
  const [chosen, setChosen] = useState(0)
  const list = useRef<HTMLUListElement>(null)
  const current = open.find(({ key }) => key === shown)
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-1">
        <ul ref={list} aria-label="Shells" className="flex min-w-0 flex-wrap gap-1">
          {open.map(({ key, title }) => (
            <li
              key={key}
              data-shown={key === shown}
              className="flex items-center rounded-md border border-line data-[shown=true]:bg-accent-soft"
            >
              <button
                type="button"
                aria-current={key === shown}
                className="max-w-48 truncate py-1 pl-3"
                onClick={() => {
                  show(key)
                  setChosen(chosen + 1)
                }}
              >
                {title}
              </button>
              <IconButton label={`End ${title}`} size="small" className="size-8" onClick={() => close(key)}>
                <X />
              </IconButton>
            </li>
          ))}
        </ul>
        <IconButton label="New shell" onClick={add}>
          <Plus />
        </IconButton>
        <OtherShells
          shells={running.filter(({ id }) => !open.some(each => each.shellId === id))}
          onAttach={attach}
        />
        <ScreenReaderSwitch />
      </div>
      {current ? (
        <ShellTerminal
          key={`${current.key} ${isForReaders}`}
          box={box}
          shell={current}
          isForReaders={isForReaders}
          chosen={chosen}
          onStarted={id => started(current.key, id)}
          onLeave={() => list.current?.querySelector<HTMLElement>('[aria-current=true]')?.focus()}
        />
      ) : (
        <Empty title="No shell is open." />
      )}
    </div>
  )
}
