// This is a client of the sales gateway for tills. Copy it: it only needs .NET Framework 4.7.2, .NET or Mono.
//
//     var gateway = new SalesGateway(new[] { "http://192.168.1.2:8080" }, key, "open-sales", printer.Print);
//     gateway.Settle();                              // at every start: finishes what is on disk
//     var result = gateway.Sell("{\"family\":\"tv\",\"produto\":\"TV Mensal\",\"valor\":4990,\"cpf\":\"…\"}");
//     if (result.Outcome == "sold") …                // and the receipt has been printed
// A sale is a file in the folder before the gateway hears of it, and until its receipt is printed. After a crash or a
// power cut the next Settle() goes on with it under the same key, so it is sold once. If the folder is empty, nothing
// is open. It belongs to one running program. Calls may take a minute; threads take turns.
// Copyright 2026 The sales-gateway authors. Apache License 2.0.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using Answer = System.Net.Http.HttpResponseMessage;  // with its whole body; null where no whole one came

// This says what became of a sale.
public sealed class Result
{
    public string Key, SaleId = "-", Outcome = "pending";  // or "sold" or "not_sold"
    public bool Printed;                                   // whether its receipt is on paper
    public string Detail = "", Answer;  // a sentence that explains the outcome, and the gateway's JSON that does
}

// The sale is not on disk: nothing was sent or will be. If the message names a file, remove that first.
public sealed class NotSentException : Exception { public NotSentException(string why) : base(why) { } }

public sealed class SalesGateway
{
    const int Tries = 12, FirstPauseMs = 200, PendingPauseMs = 1000, LongestPauseMs = 5000;  // tries are rounds
    const string ToSell = ".sell", ToConfirm = ".confirm", ToCancel = ".cancel";  // what a sale's file ends with
    readonly string[] addresses;
    int preferred;  // the address that answered last
    readonly string folder, receiptQuery;
    readonly Action<byte[]> print;
    readonly HttpClient client;

    // print returns when the printer has the bytes, and throws if it does not get them.
    public SalesGateway(string[] addresses, string key, string folder, Action<byte[]> print,
                        string receiptQuery = "format=text")
    {
        if (addresses.Length == 0 || !addresses.All(at => Regex.IsMatch(at, @"^https?://[^/\s]")))
            throw new ArgumentException("an address is http://HOST:PORT or https://HOST");
        if (!Regex.IsMatch(key, @"^\S+\z")) throw new ArgumentException("a key has no white space in or around it");
        this.addresses = addresses;
        this.folder = folder;
        this.print = print;
        this.receiptQuery = receiptQuery;
        client = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false, UseProxy = false });
        client.Timeout = TimeSpan.FromSeconds(40);  // longer than the gateway is asked to wait
        client.DefaultRequestHeaders.TryAddWithoutValidation("Authorization", "Bearer " + key);
        client.DefaultRequestHeaders.ConnectionClose = true;
        client.DefaultRequestHeaders.ExpectContinue = false;
    }

    // Returns what can be sold, as JSON: the menu, or what a query such as "family=tv&produto=TV%20Livre" asks for.
    public string Options(string query = "") =>
        Encoding.UTF8.GetString(Get("/v1/options" + (query == "" ? "" : "?" + query)));

    // Sells the order, which is JSON. Where it has "confirm": "manual", paid is asked once the sale is held.
    [MethodImpl(MethodImplOptions.Synchronized)] public Result Sell(string order, Func<bool> paid = null)
    {
        var path = Path.Combine(folder, Guid.NewGuid() + ToSell);
        var body = Encoding.UTF8.GetBytes(order.Replace('\r', ' ').Replace('\n', ' ') + "\n");
        // The order is on the disk, not only in its cache, before the first byte leaves.
        try
        {
            Directory.CreateDirectory(folder);  // the operating system decides who else may read it
            Flush(Path.Combine(folder, ".."));
            File.WriteAllBytes(path, body);
            Flush(path);
            Flush(folder);
        }
        catch (Exception error) { throw new NotSentException("Nothing was sent: " + error.Message + TakeBack(path)); }
        return Carry(path, body, paid);
    }

    // Carries every sale on disk to its end; a held sale without a note that it was paid is cancelled.
    [MethodImpl(MethodImplOptions.Synchronized)] public List<Result> Settle()
    {
        var results = new List<Result>();
        var paths = Directory.Exists(folder) ? Directory.GetFiles(folder) : new string[0];
        foreach (var path in paths.OrderBy(path => path, StringComparer.Ordinal))
        {
            if (!new[] { ToSell, ToConfirm, ToCancel }.Contains(Path.GetExtension(path))) continue;
            var body = File.ReadAllBytes(path);
            var tries = results.Any(one => one.Outcome == "pending") ? 1 : Tries;  // nobody waits for all of them
            if (body.LastOrDefault() == '\n') results.Add(Carry(path, body, null, tries));
            else Remove(path);  // it was never whole, so nothing was ever sent
        }
        return results;
    }

    // Returns another copy, which says so. Like Options, it throws HttpRequestException if no gateway has it.
    public byte[] Receipt(string saleId, string query = null) =>
        Get("/v1/sales/" + Uri.EscapeDataString(saleId) + "/receipt?" + (query ?? receiptQuery));

    // Calls until there is an outcome.
    Result Carry(string path, byte[] body, Func<bool> paid, int tries = Tries)
    {
        var saleKey = Path.GetFileNameWithoutExtension(path);
        Answer answer = null, refusal = null;
        var pause = FirstPauseMs;
        for (var left = tries - 1; left >= 0; --left)
        {
            var wanted = Path.GetExtension(path);
            answer = Send(saleKey, wanted, body);
            var outcome = Outcome(answer);
            if (outcome == "sold" || outcome == "not_sold") return Finish(path, answer, refusal);
            if (wanted == ToSell && (outcome == "held" || Refused(answer)))
            {
                // A refused sale is cancelled by its key, so that no copy that is still under way can be sold later.
                if (outcome == null) refusal = answer;
                var confirmed = outcome == "held" && paid != null && paid();
                var decided = Path.ChangeExtension(path, confirmed ? ToConfirm : ToCancel);
                try { File.Move(path, decided); Flush(decided); Flush(folder); }
                catch (Exception error) { return new Result { Key = saleKey, Detail = "not noted: " + error.Message }; }
                path = decided;
            }
            else if (Refused(answer)) break;  // only a person can change that, such as a wrong key
            else if (left > 0)
            {
                var wait = answer?.Headers.RetryAfter?.Delta?.TotalMilliseconds ?? pause;
                Thread.Sleep((int)Math.Min(Math.Max(wait, outcome == null ? 0 : PendingPauseMs), LongestPauseMs));
                pause = Math.Min(2 * pause, LongestPauseMs);
            }
        }
        return new Result { Key = saleKey, Detail = Detail(answer), Answer = Text(answer) };
    }

    // Makes the call that the file's name says. A repetition is the same call to the gateway.
    Answer Send(string saleKey, string wanted, byte[] body)
    {
        if (wanted == ToCancel) return Ask("/v1/cancel", saleKey);
        var answer = Ask("/v1/sell", saleKey, body);
        if (wanted == ToSell || Outcome(answer) != "held") return answer;
        return Ask("/v1/sales/" + SaleId(answer) + "/confirm", saleKey);
    }

    // Prints first, then removes the file: a crash in between leads to a copy, which the gateway marks as one.
    Result Finish(string path, Answer answer, Answer refusal)
    {
        var sold = Outcome(answer) == "sold";
        var why = sold ? answer : refusal ?? answer;
        var result = new Result { Key = Path.GetFileNameWithoutExtension(path), SaleId = SaleId(answer),
                                  Outcome = Outcome(answer), Detail = sold ? "" : Detail(why), Answer = Text(why) };
        try { if (sold) print(Receipt(result.SaleId)); result.Printed = sold; Remove(path); }
        catch (Exception error) { result.Detail = error.Message; }
        return result;
    }

    // Empties the order on the disk, so it is never sent, even if its name stays; else says what a person has to do.
    static string TakeBack(string path)
    {
        if (!File.Exists(path)) return "";
        try { File.WriteAllBytes(path, new byte[0]); Flush(path); return ""; }
        catch (Exception) { return "; remove " + path + ", also if a power cut brings it back, or it is sold later"; }
        finally { Remove(path); }
    }

    // If this fails, the next Settle() only repeats what is done already.
    static void Remove(string path) { try { File.Delete(path); } catch (Exception) { } }
    // Puts a file or folder on the disk, not only in its cache: .NET flushes no folder, and Mono hides a failed flush.
    static void Flush(string path)
    {
        var windows = Path.DirectorySeparatorChar == '\\';
        if (windows && File.Exists(path)) using (var file = File.Open(path, FileMode.Open)) file.Flush(true);
        if (windows) return;  // it has no such call for folders; NTFS keeps a file's name with it
        var opened = open(path, 0);
        if (fsync(opened) + close(opened) != 0) throw new IOException("the disk does not take " + path);
    }
    [DllImport("libc")] static extern int open(string path, int flags);
    [DllImport("libc")] static extern int fsync(int file);
    [DllImport("libc")] static extern int close(int file);

    byte[] Get(string path)
    {
        var answer = Ask(path);
        return Status(answer) == 200 ? Body(answer) : throw new HttpRequestException(Detail(answer));
    }

    // Asks the addresses in a round up to the first useful answer; else returns the last useless one, or null.
    Answer Ask(string path, string saleKey = null, byte[] body = null)
    {
        Answer useless = null;
        for (var tried = 0; tried < addresses.Length; ++tried)
        {
            var answer = Call(new Uri(addresses[preferred].TrimEnd('/') + path), saleKey, body);
            if (Outcome(answer) != null || Refused(answer) || saleKey == null && Status(answer) == 200) return answer;
            useless = answer ?? useless;
            preferred = (preferred + 1) % addresses.Length;
        }
        return useless;
    }

    // Makes one call on a connection of its own; it is a POST if it is about a sale on the disk.
    Answer Call(Uri uri, string saleKey, byte[] body)
    {
        try
        {
            using (var trial = new TcpClient())  // HttpClient has no limit for connecting alone
                if (!trial.ConnectAsync(uri.Host, uri.Port).Wait(TimeSpan.FromSeconds(5))) return null;
            var request = new HttpRequestMessage(saleKey == null ? HttpMethod.Get : HttpMethod.Post, uri);
            if (saleKey != null)
            {
                request.Headers.Add("Idempotency-Key", saleKey);
                request.Headers.Add("Prefer", "wait=25");
                request.Content = new ByteArrayContent(body ?? new byte[0]);
            }
            if (body != null) request.Content.Headers.Add("Content-Type", "application/json");
            var answer = client.SendAsync(request).Result;
            return Whole(answer) ? answer : null;
        }
        catch (Exception) { return null; }
    }

    // The length is checked first: .NET makes one up where the head was cut.
    static bool Whole(Answer answer) => answer.Headers.TransferEncodingChunked == true ||
        answer.Content.Headers.Contains("Content-Length") &&
        answer.Content.Headers.ContentLength == Body(answer).Length;
    static int Status(Answer answer) => (int)(answer?.StatusCode ?? 0);
    static string Outcome(Answer answer) => Field(answer, "Sale-Outcome");
    static string SaleId(Answer answer) => Field(answer, "Sale-Id") ?? "-";
    static byte[] Body(Answer answer) => answer.Content.ReadAsByteArrayAsync().Result;
    static string Text(Answer answer) => answer == null ? null : Encoding.UTF8.GetString(Body(answer));
    static string Field(Answer answer, string name) =>
        answer != null && answer.Headers.TryGetValues(name, out var values) ? values.First() : null;

    // The gateway itself, and no other server, refuses this, now and later.
    static bool Refused(Answer answer) =>
        answer?.Content.Headers.ContentType?.MediaType == "application/problem+json" &&
        Outcome(answer) == null && Status(answer) / 100 == 4 && !new[] { 408, 425, 429 }.Contains(Status(answer));

    // Finds the sentence for people in the JSON: the first member of that name.
    static string Detail(Answer answer)
    {
        if (answer == null) return "no gateway answered";
        var told = Regex.Match(Text(answer), @"""detail"" *: *""((?:[^""\\]|\\[""\\/bfnrt]|\\u[0-9A-Fa-f]{4})+)""");
        if (told.Success) return Regex.Unescape(told.Groups[1].Value);
        return Outcome(answer) == "not_sold" ? "cancelled by its key" : "HTTP status " + Status(answer);
    }
}
