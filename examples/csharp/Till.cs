// This is a till on the command line, on top of SalesGateway.cs.
//
//     till options [QUERY]     what can be sold: the menu, or what a query such as "family=tv&…" asks for
//     till sell ORDER          finishes what is on disk, then sells ORDER, which is JSON text
//     till settle              only finishes what is on disk; run it at every start
//     till receipt SALE-ID     prints another copy
//
// It exits 0: sold, or nothing is open any more; 1: not sold; 2: not known yet, or something is still open, run settle
// again; 64: wrong usage; 69: no gateway gave what was asked for; 70: the disk does not take the sale, nothing was
// sent. The environment may set SALES_GATEWAY (addresses with commas between them), SALES_GATEWAY_KEY,
// SALES_GATEWAY_FOLDER (of open sales), SALES_GATEWAY_PRINTER (a file or device; else standard output) and
// SALES_GATEWAY_RECEIPT (its query).
//
// Copyright 2026 The sales-gateway authors. Apache License 2.0.

using System;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Text.RegularExpressions;

static class Till
{
    const int WrongUsage = 64, NoAnswer = 69, NotSent = 70;

    static int Main(string[] arguments)
    {
        var command = arguments.FirstOrDefault() ?? "";
        var value = arguments.ElementAtOrDefault(1);
        var usable = arguments.Length <= 2 && (command == "options" || command == "settle" && value == null ||
                                               (command == "sell" || command == "receipt") && value != null);
        if (!usable)
        {
            Console.Error.WriteLine("usage: till options [QUERY] | sell ORDER | settle | receipt SALE-ID");
            return WrongUsage;
        }
        try
        {
            return Run(command, value);
        }
        catch (NotSentException error)
        {
            Console.Error.WriteLine(error.Message + ". Make room on the disk or mend it, then sell again.");
            return NotSent;
        }
        catch (ArgumentException error)
        {
            Console.Error.WriteLine("SALES_GATEWAY, SALES_GATEWAY_KEY: " + error.Message);
            return WrongUsage;
        }
        catch (Exception error) when (error is HttpRequestException || error is IOException ||
                                      error is UnauthorizedAccessException || error is UriFormatException)
        {
            Console.Error.WriteLine("It did not work: " + error.Message);
            return NoAnswer;
        }
    }

    static int Run(string command, string value)
    {
        var gateway = new SalesGateway(
            Set("SALES_GATEWAY", "http://127.0.0.1:8080").Split(','), Set("SALES_GATEWAY_KEY", "demo-key-caixa-01"),
            Set("SALES_GATEWAY_FOLDER", "open-sales"), Print, Set("SALES_GATEWAY_RECEIPT", "format=text"));
        if (command == "options")
        {
            Console.WriteLine(gateway.Options(value ?? ""));
            return 0;
        }
        if (command == "receipt")
        {
            Print(gateway.Receipt(value));
            return 0;
        }
        var open = gateway.Settle();
        open.ForEach(Report);
        if (command == "settle") return open.All(one => one.Outcome == "not_sold" || one.Printed) ? 0 : 2;
        var result = gateway.Sell(value, Paid);
        Report(result);
        return result.Outcome == "sold" ? 0 : result.Outcome == "not_sold" ? 1 : 2;
    }

    static string Set(string name, string otherwise)
    {
        var value = Environment.GetEnvironmentVariable(name);
        return string.IsNullOrEmpty(value) ? otherwise : value;
    }

    // Appends the receipt to the printer. A device has it after the write, and a file when it is on the disk.
    static void Print(byte[] receipt)
    {
        var name = Set("SALES_GATEWAY_PRINTER", "");
        if (name == "")
        {
            using (var output = Console.OpenStandardOutput()) output.Write(receipt, 0, receipt.Length);
            return;
        }
        using (var printer = new FileStream(name, FileMode.OpenOrCreate, FileAccess.Write, FileShare.ReadWrite))
        {
            if (printer.CanSeek) printer.Seek(0, SeekOrigin.End);
            printer.Write(receipt, 0, receipt.Length);
            printer.Flush(printer.CanSeek);
        }
    }

    static bool Paid()
    {
        Console.Error.Write("Paid? [y/n] ");
        return Regex.IsMatch(Console.ReadLine() ?? "", "^ *y(es)? *$", RegexOptions.IgnoreCase);
    }

    static void Report(Result result)
    {
        var line = result.Outcome + " " + result.Key + " " + result.SaleId;
        var unprinted = result.Outcome == "sold" && !result.Printed;
        if (result.Outcome == "not_sold") line += " " + Regex.Replace(result.Detail, @"\s+", " ");
        if (unprinted) line += " (receipt not printed yet: run settle)";
        Console.WriteLine(line);
        if (unprinted) Console.Error.WriteLine("The receipt is not printed: " + result.Detail);
        if (result.Outcome == "pending")
            Console.Error.WriteLine("It is not known yet whether this is sold (" + result.Detail + "): settle again");
    }
}
