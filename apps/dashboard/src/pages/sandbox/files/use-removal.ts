import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useOrgId } from '../../../app/session.ts'
import type { Box } from '../box.ts'
import { parentOf } from './paths.ts'
import { folderKey } from './use-folder.ts'

/** Deletes a file or a folder with everything in it. */
export function useRemoval(box: Box, onRemoved: (path: string) => void) {
  const queries = useQueryClient()
  const orgId = useOrgId()
  return useMutation({
    mutationFn: (path: string) => box.files.remove(path),
    onSuccess: async (_, path) => {
      onRemoved(path)
      await queries.invalidateQueries({ queryKey: folderKey(orgId, box.id, parentOf(path)) })
    },
  })
}
