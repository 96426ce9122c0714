import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles/dashboard.css'
import { followTheme } from './app/theme.ts'
import { DocsApp } from './docs/app.tsx'

followTheme()
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <DocsApp />
    </StrictMode>,
  )
