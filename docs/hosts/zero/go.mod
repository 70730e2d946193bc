module github.com/Gitlawb/zero

go 1.19
