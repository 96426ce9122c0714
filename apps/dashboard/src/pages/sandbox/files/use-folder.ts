import { useInfiniteQuery } from '@tanstack/react-query'
import { clientOf } from '../../../app/client.ts'
import { useOrgId } from '../../../app/session.ts'

export const folderKey = (orgId: string, sandboxId: string, path: string) =>
  ['listSandboxFiles', orgId, sandboxId, path] as const

/** The files of a folder, folders first. Long ones are read in pages. */
export function useFolder(sandboxId: string, path: string, isOpen: boolean) {
  const orgId = useOrgId()
  return useInfiniteQuery({
    queryKey: folderKey(orgId, sandboxId, path),
    queryFn: ({ pageParam, signal }) =>
      clientOf(orgId).listSandboxFiles(
        { sandboxId, path, ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }) => nextCursor,
    enabled: isOpen,
    select: ({ pages }) => {
      const files = pages.flatMap(page => page.files)
      const folders = files.filter(({ kind }) => kind === 'directory')
      return [...folders, ...files.filter(({ kind }) => kind !== 'directory')]
    },
  })
}
