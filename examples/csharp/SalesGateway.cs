// A client of the sales gateway for tills. Copy this file: it needs .NET Standard 2.0, which .NET Framework 4.7.2, .NET
// and Mono have, and nothing besides.
//
//     var gateway = new SalesGateway(new[] { "http://192.168.1.2:8080" }, key, "open-sales", printer.Print);
//     gateway.Settle();                              // at every start: finishes what is on disk
//     var result = gateway.Sell("{\"family\":\"tv\",\"produto\":\"TV Mensal\",\"valor\":4990,\"cpf\":\"…\"}");
//     if (result.Outcome == "sold") …                // and the receipt has been printed
//
// A sale is a file in the folder before the gateway hears of it, and until its receipt is printed; after a crash or a
// power cut the next Settle() goes on with it, under the same key, so it is sold once. An empty folder: nothing is
// open. The folder belongs to one running program. Calls may take minutes: a window makes them on another thread.
//
// Copyright 2026 The sales-gateway authors. Apache License 2.0.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;

// What became of a sale.
public sealed class Result
{
    public string Key, SaleId = "-";
    public string Outcome = "pending";   // or "sold" or "not_sold"
    public bool Printed;                 // whether its receipt is on paper
    public string Detail = "", Answer;   // a sentence that explains the outcome, and the gateway's JSON that does
}

// The sale could not be noted on disk. The gateway has not heard of it, and will not.
public sealed class NotSentException : Exception { public NotSentException(string why) : base(why) { } }

// No gateway gave what it was asked for. It says why.
public sealed class NoAnswerException : Exception { public NoAnswerException(string why) : base(why) { } }

public sealed class SalesGateway
{
    const int ConnectMs = 5000, CallMs = 40000;  // a call may be longer than the gateway is asked to wait
    const string Wait = "wait=25";
    const int Tries = 12;  // rounds over all addresses, before a sale is left to the next Settle()
    const int FirstPauseMs = 200, LongestPauseMs = 5000;
    const int LeastPauseMs = 1000;  // where the gateway knows the sale: it has waited already
    static readonly string[] Outcomes = { "sold", "not_sold", "held", "pending" };
    static readonly int[] Later = { 408, 425, 429 };  // these say nothing of the order
    // What the name of a sale's file ends with: what is wanted of it.
    const string ToSell = ".sell", ToConfirm = ".confirm", ToCancel = ".cancel";

    readonly string[] addresses;
    int preferred;  // where the last answer came from
    readonly string key, folder, receiptQuery;
    readonly Action<byte[]> print;
    readonly HttpClient client;

    // print returns when the printer has the bytes, and throws where it has not.
    public SalesGateway(string[] addresses, string key, string folder, Action<byte[]> print,
                        string receiptQuery = "format=text")
    {
        this.addresses = addresses;
        this.key = key;
        this.folder = folder;
        this.print = print;
        this.receiptQuery = receiptQuery;
        client = new HttpClient(new HttpClientHandler { AllowAutoRedirect = false, UseProxy = false })
            { Timeout = TimeSpan.FromMilliseconds(CallMs) };
    }

    // What can be sold, as JSON: the menu, or what a query such as "family=tv&produto=TV%20Livre" asks for.
    public string Options(string query = "") =>
        Encoding.UTF8.GetString(Get("/v1/options" + (query == "" ? "" : "?" + query)));

    // Sells the order, which is JSON. Where it has "confirm": "manual", paid is asked once the sale is held.
    public Result Sell(string order, Func<bool> paid = null)
    {
        var name = Guid.NewGuid() + ToSell;
        var body = Encoding.UTF8.GetBytes(order.Replace('\r', ' ').Replace('\n', ' ') + "\n");
        Note(name, body);
        return Carry(name, body, paid);
    }

    // Carries every sale on disk to its end; what was held without a note that it was paid is cancelled.
    public List<Result> Settle()
    {
        var results = new List<Result>();
        var names = Directory.Exists(folder) ? Directory.GetFiles(folder).Select(Path.GetFileName) : new string[0];
        foreach (var name in names.OrderBy(name => name, StringComparer.Ordinal))
        {
            if (!new[] { ToSell, ToConfirm, ToCancel }.Contains(Path.GetExtension(name))) continue;
            var body = File.ReadAllBytes(At(name));
            if (body.LastOrDefault() == '\n') results.Add(Carry(name, body, null));
            else Remove(name);  // it was never whole, so nothing was ever sent
        }
        return results;
    }

    // Another copy, which says so.
    public byte[] Receipt(string saleId, string query = null) =>
        Get("/v1/sales/" + Uri.EscapeDataString(saleId) + "/receipt?" + (query ?? receiptQuery));

    // Calls until there is an outcome.
    Result Carry(string name, byte[] body, Func<bool> paid)
    {
        string saleKey = Path.GetFileNameWithoutExtension(name), wanted = Path.GetExtension(name);
        Answer answer = null, refusal = null;
        var pause = FirstPauseMs;
        for (var left = Tries - 1; left >= 0; --left)
        {
            answer = Send(saleKey, wanted, body);
            string outcome = answer?.Outcome, decision = null;
            if (outcome == "sold") return PrintAndRemove(saleKey + wanted, Explained(saleKey, outcome, answer, answer));
            if (outcome == "not_sold")
            {
                Remove(saleKey + wanted);
                return Explained(saleKey, outcome, answer, refusal ?? answer);
            }
            if (wanted == ToSell && outcome == "held") decision = paid != null && paid() ? ToConfirm : ToCancel;
            // What is refused is cancelled by its key, so that no copy that is still under way can be sold later.
            if (wanted == ToSell && answer?.Refused == true) { refusal = answer; decision = ToCancel; }
            if (decision != null)
            {
                var trouble = Trouble(() => Rename(At(saleKey + wanted), At(saleKey + decision)));
                if (trouble != null) return new Result { Key = saleKey, Detail = "It is not on disk: " + trouble };
                wanted = decision;
            }
            else if (left > 0)
            {
                var least = outcome == null ? 0 : LeastPauseMs;
                Thread.Sleep(Math.Min(Math.Max(answer?.RetryAfterMs ?? pause, least), LongestPauseMs));
                pause = Math.Min(2 * pause, LongestPauseMs);
            }
        }
        return Explained(saleKey, "pending", null, answer);
    }

    static Result Explained(string saleKey, string outcome, Answer answer, Answer why) =>
        new Result { Key = saleKey, Outcome = outcome, SaleId = answer?.SaleId ?? "-",
                     Detail = why?.Detail ?? "no gateway answered", Answer = why?.Text };

    // The call that the file's name says. Repeated, it is the same call to the gateway.
    Answer Send(string saleKey, string wanted, byte[] body)
    {
        if (wanted == ToCancel) return Ask(HttpMethod.Post, "/v1/cancel", saleKey);
        var answer = Ask(HttpMethod.Post, "/v1/sell", saleKey, body);
        if (wanted == ToSell || answer?.Outcome != "held") return answer;
        return Ask(HttpMethod.Post, "/v1/sales/" + answer.SaleId + "/confirm", saleKey);
    }

    // First the paper, then the file: a crash in between makes a copy, which the gateway marks as one.
    Result PrintAndRemove(string name, Result result)
    {
        result.Detail = "";
        try { print(Receipt(result.SaleId)); result.Printed = true; }
        catch (Exception error) { result.Detail = error.Message; }
        if (result.Printed) Remove(name);
        return result;
    }

    // The sale is on the disk, not only in its cache, before the first byte leaves. .NET cannot flush a folder; but
    // with a file's own flush, NTFS and ext4 keep the name that it has by then, which is what is needed here.
    void Note(string name, byte[] body)
    {
        var trouble = Trouble(() =>
        {
            if (!Directory.Exists(folder)) KeepToUs(Directory.CreateDirectory(folder).FullName, 0x1C0);  // octal 700
            using (var file = new FileStream(At(name), FileMode.CreateNew, FileAccess.Write))
            {
                KeepToUs(At(name), 0x180);  // octal 600
                file.Write(body, 0, body.Length);
                file.Flush(true);
            }
        });
        if (trouble == null) return;
        var rest = Remove(name) ? "" : "; remove " + At(name) + " by hand, or it is sold later";
        throw new NotSentException("Nothing was sent: " + trouble + rest);
    }

    // Orders name customers. On Windows the folder's rights are those of the folder that it is in.
    static void KeepToUs(string path, uint mode)
    {
        if (Path.DirectorySeparatorChar == '/' && chmod(path, mode) != 0) throw new IOException("no chmod of " + path);
    }

    [DllImport("libc")] static extern int chmod(string path, uint mode);

    static void Rename(string from, string to)
    {
        File.Move(from, to);
        using (var file = new FileStream(to, FileMode.Open, FileAccess.ReadWrite)) file.Flush(true);  // and its name
    }

    // Where that fails, the next Settle() only does again what is done.
    bool Remove(string name) => Trouble(() => File.Delete(At(name))) == null || !File.Exists(At(name));

    string At(string name) => Path.Combine(folder, name);

    // What the disk has against it; null where it was done.
    static string Trouble(Action work)
    {
        try { work(); return null; }
        catch (IOException error) { return error.Message; }
        catch (UnauthorizedAccessException error) { return error.Message; }
    }

    byte[] Get(string path)
    {
        var answer = Ask(HttpMethod.Get, path);
        if (answer?.Status == 200) return answer.Body;
        throw new NoAnswerException(answer?.Detail ?? "no gateway answered at " + string.Join(", ", addresses));
    }

    // One round over the addresses, up to the first useful answer; else the last useless one, or null.
    Answer Ask(HttpMethod method, string path, string saleKey = null, byte[] body = null)
    {
        Answer useless = null;
        for (var tried = 0; tried < addresses.Length; ++tried)
        {
            var answer = Call(new Uri(addresses[preferred].TrimEnd('/') + path), method, saleKey, body);
            if (answer != null && (answer.Outcome != null || answer.Refused || saleKey == null && answer.Status == 200))
                return answer;
            useless = answer ?? useless;
            preferred = (preferred + 1) % addresses.Length;
        }
        return useless;
    }

    // One call on a connection of its own. null where no whole answer came.
    Answer Call(Uri uri, HttpMethod method, string saleKey, byte[] body)
    {
        try
        {
            using (var trial = new TcpClient())  // HttpClient has no limit for connecting alone
                if (!trial.ConnectAsync(uri.Host, uri.Port).Wait(ConnectMs)) return null;
            using (var request = new HttpRequestMessage(method, uri))
            {
                request.Headers.TryAddWithoutValidation("Authorization", "Bearer " + key);
                request.Headers.ConnectionClose = true;
                request.Headers.ExpectContinue = false;
                if (saleKey != null)
                {
                    request.Headers.TryAddWithoutValidation("Idempotency-Key", saleKey);
                    request.Headers.TryAddWithoutValidation("Prefer", Wait);
                    request.Content = new ByteArrayContent(body ?? new byte[0]);
                }
                if (body != null) request.Content.Headers.TryAddWithoutValidation("Content-Type", "application/json");
                using (var response = client.SendAsync(request).GetAwaiter().GetResult())
                    return Answer.Read(response);
            }
        }
        catch (Exception error) when (!(error is OutOfMemoryException)) { return null; }
    }

    sealed class Answer
    {
        public int Status;
        public string Outcome, SaleId, Text, Detail;
        public bool Refused;  // the gateway will not do this, now or later
        public int? RetryAfterMs;
        public byte[] Body;

        // null where it was cut.
        public static Answer Read(HttpResponseMessage response)
        {
            var body = response.Content.ReadAsByteArrayAsync().GetAwaiter().GetResult();
            var length = Field(response.Content.Headers, "Content-Length");
            if (length == null ? response.Headers.TransferEncodingChunked != true : length != body.Length.ToString())
                return null;
            var status = (int)response.StatusCode;
            var outcome = Outcomes.Contains(Field(response.Headers, "Sale-Outcome"));
            var answer = new Answer { Status = status, Body = body, Text = Encoding.UTF8.GetString(body) };
            if (outcome) answer.Outcome = Field(response.Headers, "Sale-Outcome");
            answer.SaleId = Field(response.Headers, "Sale-Id");
            answer.Refused = !outcome && status >= 400 && status < 500 && !Later.Contains(status);
            if (uint.TryParse(Field(response.Headers, "Retry-After"), out var seconds))
                answer.RetryAfterMs = (int)Math.Min(seconds * 1000L, LongestPauseMs);
            answer.Detail = answer.Told() ??
                (answer.Outcome == "not_sold" ? "cancelled by its key" : "HTTP status " + status);
            return answer;
        }

        static string Field(HttpHeaders fields, string name) =>
            fields.TryGetValues(name, out var values) ? values.First() : null;

        // The sentence in the JSON that is for a person: the first member of that name.
        string Told()
        {
            var told = Regex.Match(Text, "\"detail\" *: *\"((?:[^\"\\\\]|\\\\.)+)\"");
            return told.Success ? Regex.Unescape(told.Groups[1].Value) : null;
        }
    }
}
