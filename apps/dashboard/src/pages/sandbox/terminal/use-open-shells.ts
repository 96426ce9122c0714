import type { ListedShell } from '@sandglass/protocol'
import { useEffect, useState } from 'react'
import { messageOf } from '../../../ui/problems.ts'
import { toast } from '../../../ui/toasts.tsx'
import type { Box } from '../box.ts'

/** A shell in the page. */
export interface OpenShell {
  readonly key: number
  readonly title: string
  /** None yet if it has still to be started. */
  readonly shellId: string | undefined
  /** Only its output can be seen, because it has no terminal. */
  readonly isReadOnly: boolean
}

let lastKey = 0

/** The shells that the page shows: at first those that run and have a terminal, or a new one if there are none. */
export function useOpenShells(box: Box, running: readonly ListedShell[]) {
  const [open, setOpen] = useState<readonly OpenShell[]>(() => firstShells(running))
  const [shown, show] = useState(open[0]?.key)
  const isShown = open.some(({ key }) => key === shown)
  useEffect(() => {
    if (!isShown) show(open.at(-1)?.key)
  }, [isShown, open])
  const put = (shell: OpenShell) => {
    setOpen(before => [...before, shell])
    show(shell.key)
  }
  return {
    open,
    shown,
    show,
    add: () => put(newShell(open)),
    attach: (shell: ListedShell) => put(attached(shell, open)),
    started: (key: number, shellId: string) =>
      setOpen(before => before.map(each => (each.key === key ? { ...each, shellId } : each))),
    close: (key: number) => {
      const shellId = open.find(each => each.key === key)?.shellId
      setOpen(before => before.filter(each => each.key !== key))
      if (shellId !== undefined)
        box
          .attachShell(shellId)
          .kill()
          .catch((error: unknown) => toast(messageOf(error), { isProblem: true }))
    },
  }
}

function firstShells(running: readonly ListedShell[]): readonly OpenShell[] {
  const first: OpenShell[] = []
  for (const shell of running.filter(({ useTty }) => useTty)) first.push(attached(shell, first))
  return first.length > 0 ? first : [newShell([])]
}

function newShell(others: readonly OpenShell[]): OpenShell {
  return { key: ++lastKey, title: nextTitle(others), shellId: undefined, isReadOnly: false }
}

function attached({ id, command, useTty }: ListedShell, others: readonly OpenShell[]): OpenShell {
  const title = useTty && /^(ba)?sh$/.test(command) ? nextTitle(others) : command
  return { key: ++lastKey, title, shellId: id, isReadOnly: !useTty }
}

function nextTitle(others: readonly OpenShell[]): string {
  const used = new Set(others.map(({ title }) => title))
  for (let number = 1; ; number++) if (!used.has(`Shell ${number}`)) return `Shell ${number}`
}
