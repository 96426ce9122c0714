import { type KeyboardEvent, type MouseEvent, useState } from 'react'
import { home } from './paths.ts'
import type { Selection } from './selection.ts'
import { TreeItem } from './tree-item.tsx'
import { focusByKey } from './tree-keys.ts'

/** The folders and files of a machine. A folder is read when it is opened. */
export function FileTree({
  sandboxId,
  selection,
  onSelect,
}: {
  sandboxId: string
  selection: Selection | undefined
  onSelect: (selection: Selection) => void
}) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set([home]))
  const setFolder = (path: string, isOpen: boolean) =>
    setOpen(before => {
      const next = new Set(before)
      if (isOpen) next.add(path)
      else next.delete(path)
      return next
    })
  const select = (item: HTMLElement) => {
    const { path, kind } = item.dataset
    if (path === undefined || kind === undefined) return
    if (kind === 'directory') setFolder(path, !(open.has(path) && selection?.path === path))
    onSelect({ path, kind: kind as Selection['kind'] })
  }
  const click = ({ target }: MouseEvent) => {
    const item = itemOf(target)
    if (!item) return
    item.focus()
    select(item)
  }
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const item = itemOf(event.target)
    if (!item || event.target !== item) return
    const { path = '', kind } = item.dataset
    const isFolder = kind === 'directory'
    if (event.key === 'Enter' || event.key === ' ') select(item)
    else if (event.key === 'ArrowRight' && isFolder && !open.has(path)) setFolder(path, true)
    else if (event.key === 'ArrowLeft' && isFolder && open.has(path)) setFolder(path, false)
    else if (!focusByKey(event.key, item, event.currentTarget)) return
    event.preventDefault()
  }
  return (
    <div
      role="tree"
      aria-label="Files"
      tabIndex={-1}
      onClick={click}
      onKeyDown={press}
      className="outline-none"
    >
      {[
        { path: home, name: 'Home' },
        { path: '/', name: 'File system' },
      ].map(({ path, name }) => (
        <TreeItem
          key={path}
          sandboxId={sandboxId}
          path={path}
          name={name}
          kind="directory"
          level={1}
          open={open}
          selected={selection?.path ?? home}
        />
      ))}
    </div>
  )
}

function itemOf(target: EventTarget): HTMLElement | null {
  return target instanceof HTMLElement || target instanceof SVGElement
    ? target.closest<HTMLElement>('[role=treeitem]')
    : null
}
