// This is a client of the sales gateway for tills. Copy this unit: it only needs Free Pascal 3.2, or Delphi 10.2 for
// Windows. For https under Free Pascal the program also uses opensslsockets, which checks no certificate.
//
//     Gateway := TSalesGateway.Create;              // then set its Addresses, TerminalKey, Folder and Print
//     Gateway.Settle;                               // at every start: finishes what is on disk
//     Sold := Gateway.Sell('{"family":"tv","produto":"TV Mensal","valor":4990,"cpf":"529.982.247-25"}', nil);
//     if Sold.Outcome = 'sold' then …               // and the receipt has been printed
// A sale is a file in the folder before the gateway hears of it, and until its receipt is printed. After a crash or a
// power cut the next Settle goes on with it under the same key, so it is sold once. If the folder is empty, nothing is
// open. It belongs to one running program. Calls may take a minute: a form makes them in a thread, one at a time.
// Copyright 2026 The sales-gateway authors. Apache License 2.0.
unit SalesGateway;
{$IFDEF FPC}{$MODE DELPHI}{$ENDIF}
interface
uses {$IFDEF FPC}ssockets, sslsockets, URIParser,{$ELSE}System.Net.HttpClient, System.Net.URLClient,{$ENDIF}
  {$IFDEF UNIX}BaseUnix,{$ELSE}Windows,{$ENDIF} SysUtils, Classes, Math, StrUtils;

type
  TUtf8 = {$IFDEF FPC}RawByteString{$ELSE}UTF8String{$ENDIF};  // bytes, which Free Pascal must not convert
  TPrint = procedure(const Receipt: TUtf8) of object;  // returns when the printer has it, raises if it does not get it
  TPaid = function: Boolean of object;  // says whether the customer has paid for the held sale
  TResult = record  // what became of a sale, or of one call for it
    Key, Outcome, SaleId: string;  // the outcome of a sale is sold, not_sold or pending
    Printed, Refused: Boolean;  // the receipt is on paper; the gateway refuses this call, now and later
    Detail, Answer: TUtf8;  // a sentence that explains the outcome, and the gateway's JSON that does
    Status, RetryAfterMs: Integer;  // the answer's status, and its wait; 0 where no whole answer came
  end;
  ENotSent = class(Exception);  // nothing was sent or will be; if it names a file, remove that first
  ENoAnswer = class(Exception);  // no gateway gave what it was asked for
  TSalesGateway = class
    Addresses: TArray<string>;
    TerminalKey, Folder, ReceiptQuery: string;  // the query is empty, or for example format=escpos
    Print: TPrint;
    function Options(const Query: string): TUtf8;  // JSON: the menu, or what family=tv&produto=TV%20Livre asks for
    function Sell(const Order: TUtf8; Paid: TPaid): TResult;  // Order is JSON; Paid is asked once the sale is held
    function Settle: TArray<TResult>;  // ends what is on disk; a held sale that nobody noted as paid is cancelled
    function Receipt(const SaleId: string): TUtf8;  // another copy, which says that it is one
  private
    Preferred: Integer;  // the address that answered last
    function Ask(const Path: string; const Key: string = ''; const Body: TUtf8 = ''): TResult;
    function Carry(const Name: string; const Order: TUtf8; Paid: TPaid; Rounds: Integer): TResult;
  end;

implementation
const
  ConnectMs = 5000; CallMs = 40000; Wait = 'wait=25';  // a call may be longer than the gateway is asked to wait
  Tries = 12; FirstPauseMs = 200; LeastPauseMs = 1000; LongestPauseMs = 5000;  // a try is a round over the addresses
  ToSell = '.sell'; ToConfirm = '.confirm'; ToCancel = '.cancel';  // how a file's name ends, which says what is wanted

function Flushed(Handle: THandle): Boolean;  // closes the file when it is on the disk, not only in its cache
begin
  Result := (Handle <> THandle(-1)) and {$IFDEF FPC}FileFlush{$ELSE}FlushFileBuffers{$ENDIF}(Handle);
  if Handle <> THandle(-1) then FileClose(Handle);
end;
function FolderFlushed(const Folder: string): Boolean;  // Windows cannot do this; NTFS keeps its own journal of names
begin Result := {$IFDEF UNIX}Flushed(FpOpen(Folder, O_RDONLY)){$ELSE}True{$ENDIF}; end;

function Noted(const Folder, Path: string; const Order: TUtf8): Boolean;
var Handle: THandle;
begin
  Result := DirectoryExists(Folder) or {$IFDEF UNIX}(FpMkdir(Folder, &700) = 0){$ELSE}CreateDir(Folder){$ENDIF};
  if not Result or not FolderFlushed(Folder + '/..') then Exit(False);
  Handle := {$IFDEF UNIX}FpOpen(Path, O_WRONLY or O_CREAT or O_EXCL, &600){$ELSE}
    CreateFile(PChar(Path), GENERIC_WRITE, 0, nil, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, 0){$ENDIF};
  Result := (Handle <> THandle(-1)) and (FileWrite(Handle, Pointer(Order)^, Length(Order)) = Length(Order));
  Result := Flushed(Handle) and Result and FolderFlushed(Folder);
end;

// Empties the order on the disk, so it is never sent, even if its name stays; else says what a person has to do.
function TakeBack(const Path: string): string;
begin
  Result := '; remove ' + Path + ', also if a power cut brings it back, or it is sold later';
  if not FileExists(Path) or Flushed(FileCreate(Path)) then Result := '';
  DeleteFile(Path);
end;

function Whole(Stream: TStream): TUtf8;
begin
  Result := '';
  SetLength(Result, Stream.Size);
  Stream.Position := 0;
  Stream.ReadBuffer(Pointer(Result)^, Length(Result));
end;

// Makes one call on a connection of its own, and returns the HTTP/1.1 answer. Redirects are not followed.
function Exchange(const Url, Bearer, Key: string; const Body: TUtf8): TUtf8;
{$IFDEF FPC}
var At: TURI; Handler: TSocketHandler; Socket: TInetSocket; Piece: TUtf8; Got: Integer; Ends: QWord;
begin
  At := ParseURI(Url, '', IfThen(Url.StartsWith('https:'), 443, 80));
  Result := IfThen(Key = '', 'GET ', 'POST ') + Url.Substring(Url.IndexOf('/', 8)) + ' HTTP/1.1'#13#10'Host: ' +
    At.Host + ':' + IntToStr(At.Port) + #13#10'Connection: close'#13#10'Authorization: Bearer ' + Bearer + #13#10;
  if Key <> '' then Result := Result + 'Idempotency-Key: ' + Key + #13#10'Prefer: ' + Wait + #13#10;
  if Body <> '' then Result := Result + 'Content-Type: application/json'#13#10;
  Result := Result + 'Content-Length: ' + IntToStr(Length(Body)) + #13#10#13#10 + Body;
  if At.Protocol = 'https' then Handler := TSSLSocketHandler.GetDefaultHandler else Handler := TSocketHandler.Create;
  Socket := TInetSocket.Create(At.Host, At.Port, ConnectMs, Handler);
  try
    {$IFDEF UNIX}FpSignal(SIGPIPE, SignalHandler(SIG_IGN));{$ENDIF}  // a line that is cut must not end the till
    Socket.IOTimeout := CallMs;
    Socket.Connect;
    Socket.WriteBuffer(Pointer(Result)^, Length(Result));
    Ends := GetTickCount64 + CallMs;
    Result := '';
    Piece := StringOfChar(#0, 65536);
    repeat
      Got := Socket.Read(Pointer(Piece)^, Length(Piece));
      Result := Result + Copy(Piece, 1, Got);
    until (Got <= 0) or (GetTickCount64 > Ends);
  finally Socket.Free; end;
end;
{$ELSE}
var Client: THTTPClient; Response: IHTTPResponse; Sent: TBytesStream; Head: TNetHeaders; Field: TNetHeader;
begin
  Head := [TNetHeader.Create('Authorization', 'Bearer ' + Bearer)];
  if Key <> '' then Head := Head + [TNetHeader.Create('Idempotency-Key', Key), TNetHeader.Create('Prefer', Wait)];
  Client := THTTPClient.Create; Sent := TBytesStream.Create(BytesOf(Body));
  try
    Client.HandleRedirects := False;
    if Body <> '' then Client.ContentType := 'application/json';
    Client.ConnectionTimeout := ConnectMs; Client.ResponseTimeout := CallMs;
    if Key = '' then Response := Client.Get(Url, nil, Head) else Response := Client.Post(Url, Sent, nil, Head);
    Result := TUtf8('HTTP/1.1 ' + IntToStr(Response.StatusCode) + #13#10);
    for Field in Response.Headers do Result := Result + TUtf8(Field.Name + ': ' + Field.Value + #13#10);
    Result := Result + #13#10 + Whole(Response.ContentStream);
  finally Sent.Free; Client.Free; end;
end;
{$ENDIF}

function Between(const Before, After, Text: string): string;
var At: Integer;
begin
  At := Pos(LowerCase(Before), LowerCase(Text)) + Length(Before);
  if At = Length(Before) then Result := '' else Result := Trim(Copy(Text, At, Pos(After, Text, At) - At));
end;

// An answer that was cut does not count, nor one without Content-Length: nobody here could tell whether it was cut.
function Understood(const Text: TUtf8): TResult;
var Head: string;
begin
  Result := Default(TResult);
  Result.Detail := 'no gateway answered';
  Head := Copy(Text, 1, Pos(TUtf8(#13#10#13#10), Text) + 1);
  if Between(#10'Content-Length:', #13, Head) <> IntToStr(Length(Text) - Length(Head) - 2) then Exit;
  Result.Answer := Copy(Text, Length(Head) + 3, MaxInt);
  Result.Status := StrToIntDef(Copy(Head, 10, 3), 0);
  Result.SaleId := Between(#10'Sale-Id:', #13, Head);
  Result.RetryAfterMs := 1000 * EnsureRange(StrToIntDef(Between(#10'Retry-After:', #13, Head), 0), 0, 60);
  Result.Outcome := Between(#10'Sale-Outcome:', #13, Head);
  if not MatchStr(Result.Outcome, ['sold', 'not_sold', 'held', 'pending']) then Result.Outcome := '';
  Result.Refused := (Result.Outcome = '') and (Result.Status div 100 = 4) and
    not MatchStr(IntToStr(Result.Status), ['408', '425', '429']) and
    StartsText('application/problem+json', Between(#10'Content-Type:', #13, Head));  // no other server's answer
  Result.Detail := TUtf8(Between('"detail":"', '"', StringReplace(string(Result.Answer), '\"', '''', [rfReplaceAll])));
  if (Result.Detail = '') and (Result.Outcome = 'not_sold') then Result.Detail := 'cancelled by its key';
  if Result.Detail = '' then Result.Detail := TUtf8('HTTP status ' + IntToStr(Result.Status));
end;

// Asks the addresses in a round up to the first useful answer; else returns the last one. Without a key it is a GET.
function TSalesGateway.Ask(const Path, Key: string; const Body: TUtf8): TResult;
var Tried: Integer; Text: TUtf8;
begin
  for Tried := 1 to Length(Addresses) do begin
    try Text := Exchange(Addresses[Preferred].TrimRight(['/']) + Path, TerminalKey, Key, Body); except Text := ''; end;
    Result := Understood(Text);
    if (Result.Outcome <> '') or Result.Refused or ((Key = '') and (Result.Status = 200)) then Break;
    Preferred := (Preferred + 1) mod Length(Addresses);
  end;
  if (Key = '') and (Result.Status <> 200) then raise ENoAnswer.Create(string(Result.Detail));
end;

function TSalesGateway.Options(const Query: string): TUtf8;
begin Result := Ask('/v1/options?' + Query).Answer; end;
function TSalesGateway.Receipt(const SaleId: string): TUtf8;
begin Result := Ask('/v1/sales/' + SaleId + '/receipt?' + ReceiptQuery).Answer; end;

function TSalesGateway.Sell(const Order: TUtf8; Paid: TPaid): TResult;
var Guid: TGuid; Name, Path, Why: string; Line: TUtf8;
begin
  CreateGUID(Guid);
  Name := LowerCase(Copy(GUIDToString(Guid), 2, 36)) + ToSell;
  Path := Folder + '/' + Name;
  Line := TUtf8(StringReplace(StringReplace(string(Order), #13, ' ', [rfReplaceAll]), #10, ' ', [rfReplaceAll]) + #10);
  if not Noted(Folder, Path, Line) then begin
    Why := 'Nothing was sent: ' + SysErrorMessage({$IFDEF FPC}GetLastOSError{$ELSE}GetLastError{$ENDIF});
    raise ENotSent.Create(Why + TakeBack(Path));
  end;
  Result := Carry(Name, Line, Paid, Tries);
end;

function TSalesGateway.Settle: TArray<TResult>;
var Found: TSearchRec; Names: TStringList; Stream: TFileStream; Name: string; Order: TUtf8; Rounds: Integer;
begin
  Result := nil;
  Rounds := Tries;
  Names := TStringList.Create;
  try
    if FindFirst(Folder + '/*', faAnyFile, Found) = 0 then
      try repeat Names.Add(Found.Name); until FindNext(Found) <> 0; finally FindClose(Found); end;
    Names.Sort;
    for Name in Names do
      if MatchStr(ExtractFileExt(Name), [ToSell, ToConfirm, ToCancel]) then begin
        Stream := TFileStream.Create(Folder + '/' + Name, fmOpenRead);
        try Order := Whole(Stream); finally Stream.Free; end;
        if Copy(Order, Length(Order), 1) = #10 then Result := Result + [Carry(Name, Order, nil, Rounds)]
        else DeleteFile(Folder + '/' + Name);  // it was never whole, so nothing was sent
        if (Result <> nil) and (Result[High(Result)].Outcome = 'pending') then Rounds := 1;  // nobody waits for all
      end;
  finally Names.Free; end;
end;

// Makes the call that the file's name says, until there is an outcome. A repetition is the same call to the gateway.
function TSalesGateway.Carry(const Name: string; const Order: TUtf8; Paid: TPaid; Rounds: Integer): TResult;
var Refusal: TResult; Key, Path, Wanted, Decision: string; Tried, Pause: Integer;
begin
  Key := ChangeFileExt(Name, '');
  Path := Folder + '/' + Key;
  Wanted := ExtractFileExt(Name);
  Refusal := Default(TResult);
  for Tried := 1 to Rounds do begin
    if Wanted = ToCancel then Result := Ask('/v1/cancel', Key) else Result := Ask('/v1/sell', Key, Order);
    if (Wanted = ToConfirm) and (Result.Outcome = 'held') then
      Result := Ask('/v1/sales/' + Result.SaleId + '/confirm', Key);
    if MatchStr(Result.Outcome, ['sold', 'not_sold']) then Break;
    if Result.Refused and (Wanted <> ToSell) then Break;  // only a person can change that, such as a wrong key
    if Result.Refused then Refusal := Result;
    if (Wanted = ToSell) and (Result.Refused or (Result.Outcome = 'held')) then begin
      // A refused sale is cancelled by its key, so that no copy of it that is still under way can be sold later.
      Decision := IfThen(not Result.Refused and Assigned(Paid) and Paid(), ToConfirm, ToCancel);
      Result.Detail := 'the disk does not take the decision';
      if not RenameFile(Path + Wanted, Path + Decision) or not FolderFlushed(Folder) then Break;
      Wanted := Decision;
    end else if Tried < Rounds then begin
      Pause := IfThen(Result.RetryAfterMs > 0, Result.RetryAfterMs, FirstPauseMs shl (Tried - 1));
      Sleep(EnsureRange(Pause, IfThen(Result.Outcome = '', 0, LeastPauseMs), LongestPauseMs));
    end;
  end;
  if (Result.Outcome = 'not_sold') and Refusal.Refused then
    begin Result.Detail := Refusal.Detail; Result.Answer := Refusal.Answer; end;
  Result.Key := Key;
  if not MatchStr(Result.Outcome, ['sold', 'not_sold']) then Result.Outcome := 'pending';
  if (Result.Outcome = 'pending') or (Result.SaleId = '') then Result.SaleId := '-';
  if Result.Outcome = 'sold' then
    try  // prints first, then removes the file: a crash in between leads to a copy, which the gateway marks as one
      Print(Receipt(Result.SaleId));
      Result.Printed := True;
    except on Error: Exception do Result.Detail := TUtf8(Error.Message); end;
  if Result.Printed or (Result.Outcome = 'not_sold') then DeleteFile(Path + Wanted);
end;
end.
