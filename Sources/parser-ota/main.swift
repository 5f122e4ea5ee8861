import ParserOTACommand

CommandTool.main()
