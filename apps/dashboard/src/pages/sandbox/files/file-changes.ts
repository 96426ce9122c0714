import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useOrgId } from '../../../app/session.ts'
import type { Box } from '../box.ts'
import { home, parentOf } from './paths.ts'
import { folderKey } from './use-folder.ts'

const gatherMs = 250
const listeners = new Set<(sandboxId: string, path: string) => void>()

/** Reads folders of the home again when something changes in them, while the tab is shown. */
export function useFileChanges(box: Box): void {
  const queries = useQueryClient()
  const orgId = useOrgId()
  useEffect(() => {
    const closing = new AbortController()
    const changed = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const report = () => {
      timer = undefined
      const folders = new Set([...changed].map(parentOf))
      for (const folder of folders)
        void queries.invalidateQueries({ queryKey: folderKey(orgId, box.id, folder) })
      for (const path of changed) for (const listener of listeners) listener(box.id, path)
      changed.clear()
    }
    const watch = async () => {
      for await (const { change, path } of box.files.watch(home, {
        recursive: true,
        signal: closing.signal,
      })) {
        if (change === 'overflow')
          void queries.invalidateQueries({ queryKey: ['listSandboxFiles', orgId, box.id] })
        if (path !== undefined) changed.add(path)
        timer ??= setTimeout(report, gatherMs)
      }
    }
    // Without the changes, folders are read again by the button.
    watch().catch(() => {})
    return () => {
      closing.abort()
      clearTimeout(timer)
    }
  }, [queries, orgId, box])
}

/** Calls back when a file changes. Returns what ends that. */
export function onFileChange(sandboxId: string, path: string, onChange: () => void): () => void {
  const listener = (changedIn: string, changed: string) => {
    if (changedIn === sandboxId && changed === path) onChange()
  }
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
