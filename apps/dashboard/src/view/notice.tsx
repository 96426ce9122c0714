import type { ReactNode } from 'react'
import { Hourglass } from './icons.tsx'

interface NoticeProps {
  readonly title: string
  readonly detail?: string | undefined
  readonly isBusy?: boolean
  readonly children?: ReactNode
}

/** A message in place of the picture, or over the last one. */
export function Notice({ title, detail, isBusy = false, children }: NoticeProps) {
  return (
    <div className="notice" role="status">
      <div className={isBusy ? 'mark busy' : 'mark'}>
        <Hourglass />
      </div>
      <h1>{title}</h1>
      {detail !== undefined && <p>{detail}</p>}
      {children}
    </div>
  )
}
