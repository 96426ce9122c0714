/** The pages of the guide. What they link to in the repository is part of it too. */
export const markdownPages = ['*.md', 'docs/**/*.md', 'contributing/**/*.md', 'examples/**/*.md']
