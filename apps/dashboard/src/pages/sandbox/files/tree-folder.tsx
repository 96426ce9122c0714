import type { ReactNode } from 'react'
import { messageOf } from '../../../ui/problems.ts'
import { join } from './paths.ts'
import { type ItemProps, TreeItem } from './tree-item.tsx'
import { useFolder } from './use-folder.ts'

/** What is in an open folder. */
export function TreeFolder({ sandboxId, path, level, open, selected }: ItemProps) {
  const { data, error, isPending, hasNextPage, fetchNextPage } = useFolder(sandboxId, path, true)
  return (
    <>
      {isPending && <Note level={level}>…</Note>}
      {error && (
        <Note level={level} isProblem>
          {messageOf(error)}
        </Note>
      )}
      {data?.map(file => (
        <TreeItem
          key={file.name}
          sandboxId={sandboxId}
          path={join(path, file.name)}
          name={file.name}
          kind={file.kind}
          bytes={file.size}
          level={level + 1}
          open={open}
          selected={selected}
        />
      ))}
      {data?.length === 0 && <Note level={level}>Empty</Note>}
      {hasNextPage && (
        <Note level={level} onChoose={() => void fetchNextPage()}>
          Show more
        </Note>
      )}
    </>
  )
}

/** Something in the tree that is neither a file nor a folder. */
function Note({
  level,
  isProblem = false,
  onChoose,
  children,
}: {
  level: number
  isProblem?: boolean
  onChoose?: () => void
  children: ReactNode
}) {
  return (
    <div
      role="treeitem"
      aria-level={level + 1}
      tabIndex={-1}
      style={{ paddingLeft: `${level * 14 + 30}px` }}
      className={`py-1 pr-2 text-[13px] ${isProblem ? 'text-wrong' : 'text-quiet'} ${onChoose ? 'cursor-pointer underline' : ''}`}
      onClick={onChoose}
      onKeyDown={event => event.key === 'Enter' && onChoose?.()}
    >
      {children}
    </div>
  )
}
