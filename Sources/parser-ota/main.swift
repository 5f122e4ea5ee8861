import ParserOTACommand

await CommandTool.main()
