// A client of the sales gateway for tills. Copy this unit: it needs Free Pascal 3.2, or Delphi 10.2 for Windows, and
// nothing besides; for https under Free Pascal the program also uses opensslsockets.
//
//     Gateway := TSalesGateway.Create(['http://192.168.1.2:8080'], Key, 'open-sales', Printer.Print);
//     Gateway.Settle;                               // at every start: finishes what is on disk
//     Sold := Gateway.Sell('{"family":"tv","produto":"TV Mensal","valor":4990,"cpf":"529.982.247-25"}', nil);
//     if Sold.Outcome = 'sold' then …               // and the receipt has been printed
//
// A sale is a file in the folder before the gateway hears of it, and until its receipt is printed; after a crash or a
// power cut the next Settle goes on with it, under the same key, so it is sold once. An empty folder: nothing is open.
// The folder belongs to one running program. Calls may take minutes: a form makes them in another thread.
//
// Copyright 2026 The sales-gateway authors. Apache License 2.0.
unit SalesGateway;
{$IFDEF FPC}{$MODE DELPHI}{$ENDIF}

interface

uses
  {$IFDEF FPC}{$IFDEF UNIX}BaseUnix,{$ELSE}Windows,{$ENDIF} fphttpclient, fpjson, jsonparser,
  {$ELSE}Winapi.Windows, System.Net.HttpClient, System.Net.URLClient, System.JSON,{$ENDIF} SysUtils, Classes;

type
  TUtf8 = {$IFDEF FPC}RawByteString{$ELSE}string{$ENDIF};  // bytes of UTF-8 that nothing converts; Delphi has Unicode
  TPrint = procedure(const Receipt: TBytes) of object;  // returns when the printer has it, raises where it has not
  TPaid = function: Boolean of object;  // whether the customer has paid what is held
  TResult = record
    Key, Outcome, SaleId: string;  // the outcome is sold, not_sold or pending
    Printed: Boolean;  // whether the receipt is on paper
    Detail, Answer: TUtf8;  // a sentence that explains the outcome, and the gateway's JSON that does
  end;
  ENotSent = class(Exception);  // the sale is not on disk: the gateway has not heard of it, and will not
  ENoAnswer = class(Exception);  // no gateway gave what it was asked for

  TAnswer = record
    Status, RetryAfterMs: Integer;  // 0: no whole answer came; -1: it does not say
    Outcome, SaleId: string;
    Body: TBytes;
    function Refused: Boolean;
    function Text: TUtf8;
    function Detail: TUtf8;
  end;

  TSalesGateway = class
  private
    FAddresses: TArray<string>;
    FPreferred: Integer;  // where the last answer came from
    FKey, FFolder, FReceiptQuery: string;
    FPrint: TPrint;
    function Carry(const Key: string; Wanted: string; const Body: TBytes; Paid: TPaid): TResult;
    function Send(const Key, Wanted: string; const Body: TBytes): TAnswer;
    procedure Note(const Path: string; const Body: TBytes);
    function Get(const Path: string): TBytes;
    function Ask(const Path, Key: string; const Body: TBytes): TAnswer;
    function Call(const Url, Key: string; const Body: TBytes): TAnswer;
  public
    constructor Create(const Addresses: TArray<string>; const Key, Folder: string; Print: TPrint;
      const ReceiptQuery: string = 'format=text');
    // What can be sold, as JSON: the menu, or what a query such as family=tv&produto=TV%20Livre asks for.
    function Options(const Query: string = ''): TUtf8;
    // Sells Order, which is JSON. Where it has "confirm": "manual", Paid is asked once the sale is held.
    function Sell(const Order: TUtf8; Paid: TPaid): TResult;
    // Carries every sale on disk to its end; what was held without a note that it was paid is cancelled.
    function Settle: TArray<TResult>;
    // Another copy, which says so.
    function Receipt(const SaleId: string): TBytes;
  end;

implementation

const
  ConnectMs = 5000; CallMs = 40000; Wait = 'wait=25';  // a call may be longer than the gateway is asked to wait
  Tries = 12;  // rounds over all addresses, before a sale is left to the next Settle
  FirstPauseMs = 200; LeastPauseMs = 1000; LongestPauseMs = 5000;
  ToSell = '.sell'; ToConfirm = '.confirm'; ToCancel = '.cancel';  // what a file's name ends with: what is wanted

function NoAnswer: TAnswer;
begin
  Result := Default(TAnswer);
  Result.RetryAfterMs := -1;
end;

function TAnswer.Refused: Boolean;  // the gateway will not do this, now or later
begin
  Result := (Outcome = '') and (Status div 100 = 4) and (Status <> 408) and (Status <> 425) and (Status <> 429);
end;

function TAnswer.Text: TUtf8;
begin
  {$IFDEF FPC}
  Result := '';
  SetString(Result, PAnsiChar(Body), Length(Body));
  SetCodePage(Result, CP_UTF8, False);
  {$ELSE}
  Result := TEncoding.UTF8.GetString(Body);
  {$ENDIF}
end;

function TAnswer.Detail: TUtf8;
var
  Told: {$IFDEF FPC}TJSONData{$ELSE}TJSONValue{$ENDIF};
begin
  Result := TUtf8('HTTP status ' + IntToStr(Status));
  if Status = 0 then Result := 'no gateway answered';
  if Outcome = 'not_sold' then Result := 'cancelled by its key';
  Told := nil;
  try
    {$IFDEF FPC}
    Told := GetJSON(Text);
    if Told.FindPath('detail') <> nil then Result := Told.FindPath('detail').AsString
    else if Told.FindPath('reason.detail') <> nil then Result := Told.FindPath('reason.detail').AsString;
    {$ELSE}
    Told := TJSONObject.ParseJSONValue(Text);
    if not Told.TryGetValue<string>('detail', Result) then Told.TryGetValue<string>('reason.detail', Result);
    {$ENDIF}
  except  // then it is no JSON
  end;
  Told.Free;
end;

{$IFDEF FPC}
type
  // In a head that was cut, fphttpclient of 3.2.2 looks for its end for ever.
  TClient = class(TFPHTTPClient)
  public
    Ends: QWord;
  protected
    function ReadResponseHeaders: Integer; override;
    procedure DoDataRead; override;
  end;

function TClient.ReadResponseHeaders: Integer;
var
  Line: string;
begin
  if not ReadString(Line) then raise EHTTPClient.Create('cut');
  Result := ParseStatusLine(Line);
  repeat
    if not ReadString(Line) then raise EHTTPClient.Create('cut');
    if Line <> '' then ResponseHeaders.Add(Line);
  until Line = '';
end;

procedure TClient.DoDataRead;
begin
  if GetTickCount64 > Ends then raise EHTTPClient.Create('too late');
end;
{$ENDIF}

procedure Need(Done: Boolean);
begin
  if not Done then RaiseLastOSError;
end;

procedure Flush(Handle: THandle);  // to the disk, not only to its cache
begin
  Need({$IFDEF FPC}FileFlush{$ELSE}FlushFileBuffers{$ENDIF}(Handle));
end;

procedure FlushFolder(const Folder: string);
{$IFDEF UNIX}
var
  Handle: THandle;
begin
  Handle := FpOpen(Folder, O_RDONLY);
  Need(Handle <> THandle(-1));
  try Flush(Handle); finally FileClose(Handle); end;
end;
{$ELSE}
begin  // Windows has no such call; NTFS keeps its own journal of names
end;
{$ENDIF}

function ReadWhole(const Path: string): TBytes;
var
  Stream: TFileStream;
begin
  Result := nil;
  Stream := TFileStream.Create(Path, fmOpenRead);
  try
    SetLength(Result, Stream.Size);
    Stream.ReadBuffer(Pointer(Result)^, Length(Result));
  finally Stream.Free; end;
end;

constructor TSalesGateway.Create(const Addresses: TArray<string>; const Key, Folder: string; Print: TPrint;
  const ReceiptQuery: string);
begin
  FAddresses := Addresses;
  FKey := Key;
  FFolder := IncludeTrailingPathDelimiter(ExpandFileName(Folder));
  FPrint := Print;
  FReceiptQuery := ReceiptQuery;
end;

function TSalesGateway.Options(const Query: string): TUtf8;
var
  Answer: TAnswer;
begin
  Answer.Body := Get('/v1/options' + Copy('?', 1, Ord(Query <> '')) + Query);
  Result := Answer.Text;
end;

function TSalesGateway.Receipt(const SaleId: string): TBytes;
begin
  Result := Get('/v1/sales/' + SaleId + '/receipt?' + FReceiptQuery);
end;

function TSalesGateway.Sell(const Order: TUtf8; Paid: TPaid): TResult;
var
  Guid: TGuid;
  Key: string;
  Line: TUtf8;
  Body: TBytes;
begin
  CreateGUID(Guid);
  Key := LowerCase(Copy(GUIDToString(Guid), 2, 36));
  Line := StringReplace(StringReplace(Order, #13, ' ', [rfReplaceAll]), #10, ' ', [rfReplaceAll]) + #10;
  Body := {$IFDEF FPC}BytesOf(Line){$ELSE}TEncoding.UTF8.GetBytes(Line){$ENDIF};
  Note(FFolder + Key + ToSell, Body);
  Result := Carry(Key, ToSell, Body, Paid);
end;

function TSalesGateway.Settle: TArray<TResult>;
var
  Found: TSearchRec;
  Names: TStringList;
  Name, Wanted: string;
  Body: TBytes;
begin
  Result := nil;
  Names := TStringList.Create;
  try
    if FindFirst(FFolder + '*', faAnyFile, Found) = 0 then
    try
      repeat Names.Add(Found.Name); until FindNext(Found) <> 0;
    finally FindClose(Found); end;
    Names.Sort;
    for Name in Names do
    begin
      Wanted := ExtractFileExt(Name);
      if (Wanted <> ToSell) and (Wanted <> ToConfirm) and (Wanted <> ToCancel) then Continue;
      Body := ReadWhole(FFolder + Name);
      if (Body = nil) or (Body[High(Body)] <> 10) then DeleteFile(FFolder + Name)  // not whole, so nothing was sent
      else Result := Result + [Carry(ChangeFileExt(Name, ''), Wanted, Body, nil)];
    end;
  finally Names.Free; end;
end;

// Calls until there is an outcome.
function TSalesGateway.Carry(const Key: string; Wanted: string; const Body: TBytes; Paid: TPaid): TResult;
var
  Answer, Refusal: TAnswer;
  Left, Pause, Longer: Integer;
  Decision: string;
begin
  Result := Default(TResult);
  Result.Key := Key;
  Result.Outcome := 'pending';
  Result.SaleId := '-';
  Refusal := NoAnswer;
  Pause := FirstPauseMs;
  for Left := Tries - 1 downto 0 do
  begin
    Answer := Send(Key, Wanted, Body);
    if (Answer.Outcome = 'sold') or (Answer.Outcome = 'not_sold') then
    begin
      Result.Outcome := Answer.Outcome;
      if Answer.SaleId <> '' then Result.SaleId := Answer.SaleId;
      if (Answer.Outcome = 'not_sold') and (Refusal.Status <> 0) then Answer := Refusal;
      Result.Answer := Answer.Text;
      if Result.Outcome = 'not_sold' then Result.Detail := Answer.Detail
      else
      try  // first the paper, then the file: a crash in between makes a copy, which the gateway marks as one
        FPrint(Receipt(Result.SaleId));
        Result.Printed := True;
      except
        on Error: Exception do Result.Detail := TUtf8(Error.Message);
      end;
      // Where that fails, the next Settle only does again what is done.
      if Result.Printed or (Result.Outcome = 'not_sold') then DeleteFile(FFolder + Key + Wanted);
      Exit;
    end;
    Decision := '';
    if (Wanted = ToSell) and (Answer.Outcome = 'held') then
      if Assigned(Paid) and Paid() then Decision := ToConfirm else Decision := ToCancel;
    if (Wanted = ToSell) and Answer.Refused then
    begin
      // It is cancelled by its key, so that no copy of it that is still under way can be sold later.
      Refusal := Answer;
      Decision := ToCancel;
    end;
    if Decision <> '' then
    try
      Need(RenameFile(FFolder + Key + Wanted, FFolder + Key + Decision));
      FlushFolder(FFolder);
      Wanted := Decision;
    except
      on Error: Exception do
      begin
        Result.Detail := TUtf8('The decision is not on disk: ' + Error.Message);
        Exit;
      end;
    end
    else if Left > 0 then
    begin
      Longer := Pause;
      if Answer.RetryAfterMs >= 0 then Longer := Answer.RetryAfterMs;
      if (Answer.Outcome <> '') and (Longer < LeastPauseMs) then Longer := LeastPauseMs;
      if Longer > LongestPauseMs then Longer := LongestPauseMs;
      Sleep(Longer);
      if Pause < LongestPauseMs then Pause := Pause * 2;
    end;
  end;
  Result.Detail := Answer.Detail;
  Result.Answer := Answer.Text;
end;

// The call that the file's name says. Repeated, it is the same call to the gateway.
function TSalesGateway.Send(const Key, Wanted: string; const Body: TBytes): TAnswer;
begin
  if Wanted = ToCancel then Exit(Ask('/v1/cancel', Key, nil));
  Result := Ask('/v1/sell', Key, Body);
  if (Wanted = ToConfirm) and (Result.Outcome = 'held') then
    Result := Ask('/v1/sales/' + Result.SaleId + '/confirm', Key, nil);
end;

// The sale is on the disk before the first byte leaves.
procedure TSalesGateway.Note(const Path: string; const Body: TBytes);
var
  Handle: THandle;
  Rest: string;
begin
  try
    {$IFDEF UNIX}
    if not DirectoryExists(FFolder) then Need(FpMkdir(FFolder, &700) = 0);
    Handle := FpOpen(Path, O_WRONLY or O_CREAT or O_EXCL, &600);
    {$ELSE}
    Need(ForceDirectories(FFolder));
    Handle := CreateFile(PChar(Path), GENERIC_WRITE, 0, nil, CREATE_NEW, FILE_ATTRIBUTE_NORMAL, 0);
    {$ENDIF}
    FlushFolder(ExtractFileDir(ExcludeTrailingPathDelimiter(FFolder)));
    Need(Handle <> THandle(-1));
    try
      Need(FileWrite(Handle, Pointer(Body)^, Length(Body)) = Length(Body));
      Flush(Handle);
    finally FileClose(Handle); end;
    FlushFolder(FFolder);
  except
    on Error: Exception do
    begin
      if not DeleteFile(Path) and FileExists(Path) then Rest := '; remove ' + Path + ' by hand, or it is sold later';
      raise ENotSent.Create('Nothing was sent: ' + Error.Message + Rest);
    end;
  end;
end;

function TSalesGateway.Get(const Path: string): TBytes;
var
  Answer: TAnswer;
begin
  Answer := Ask(Path, '', nil);
  if Answer.Status <> 200 then raise ENoAnswer.Create(string(Answer.Detail));
  Result := Answer.Body;
end;

// One round over the addresses, up to the first useful answer; else the last useless one, or none.
function TSalesGateway.Ask(const Path, Key: string; const Body: TBytes): TAnswer;
var
  Tried: Integer;
  Answer: TAnswer;
begin
  Result := NoAnswer;
  for Tried := 1 to Length(FAddresses) do
  begin
    Answer := Call(FAddresses[FPreferred].TrimRight(['/']) + Path, Key, Body);
    if Answer.Status <> 0 then Result := Answer;
    if (Answer.Outcome <> '') or Answer.Refused or ((Key = '') and (Answer.Status = 200)) then Exit;
    FPreferred := (FPreferred + 1) mod Length(FAddresses);
  end;
end;

// One call on a connection of its own. Redirects are not followed. What has no
// Content-Length is no answer: of an answer in chunks nobody here could say whether it was cut.
function TSalesGateway.Call(const Url, Key: string; const Body: TBytes): TAnswer;
var
  Client: {$IFDEF FPC}TClient{$ELSE}THTTPClient; Response: IHTTPResponse{$ENDIF};
  Sent, Came: TBytesStream;
  Seconds: Integer;

  procedure Add(const Name, Value: string);
  begin
    {$IFDEF FPC}Client.AddHeader(Name, Value){$ELSE}Client.CustomHeaders[Name] := Value{$ENDIF};
  end;

  function Field(const Name: string): string;
  begin
    Result := {$IFDEF FPC}Client.GetHeader(Client.ResponseHeaders, Name){$ELSE}Response.HeaderValue[Name]{$ENDIF};
  end;

begin
  Result := NoAnswer;
  Client := {$IFDEF FPC}TClient.Create(nil){$ELSE}THTTPClient.Create{$ENDIF};
  Sent := TBytesStream.Create(Body);
  Came := TBytesStream.Create;
  try
    Add('Authorization', 'Bearer ' + FKey);
    if Key <> '' then Add('Idempotency-Key', Key);
    if Key <> '' then Add('Prefer', Wait);
    if Body <> nil then Add('Content-Type', 'application/json');
    try
      {$IFDEF FPC}
      Client.ConnectTimeout := ConnectMs;
      Client.IOTimeout := CallMs;
      Client.Ends := GetTickCount64 + CallMs;
      if Key = '' then Client.HTTPMethod('GET', Url, Came, [])
      else
      begin
        Client.RequestBody := Sent;
        Client.HTTPMethod('POST', Url, Came, []);
      end;
      Result.Status := Client.ResponseStatusCode;
      {$ELSE}
      Client.HandleRedirects := False;
      Client.ConnectionTimeout := ConnectMs;
      Client.ResponseTimeout := CallMs;
      if Key = '' then Response := Client.Get(Url, Came) else Response := Client.Post(Url, Sent, Came);
      Result.Status := Response.StatusCode;
      {$ENDIF}
      Result.Outcome := Field('Sale-Outcome');
      if Pos('/' + Result.Outcome + '/', '/sold/not_sold/held/pending/') = 0 then Result.Outcome := '';
      Result.SaleId := Field('Sale-Id');
      Result.RetryAfterMs := -1;
      if TryStrToInt(Field('Retry-After'), Seconds) and (Seconds in [0..60]) then Result.RetryAfterMs := Seconds * 1000;
      Result.Body := Copy(Came.Bytes, 0, Came.Size);
      if StrToIntDef(Field('Content-Length'), -1) <> Came.Size then Result := NoAnswer;  // it was cut
    except
      on Exception do Result := NoAnswer;
    end;
  finally
    Came.Free;
    Sent.Free;
    Client.Free;
  end;
end;

end.
