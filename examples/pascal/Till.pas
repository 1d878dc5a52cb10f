// This is a till on the command line, on top of SalesGateway.pas.
//
//     Till options [QUERY]     what can be sold: the menu, or what a query such as "family=tv&…" asks for
//     Till sell ORDER          finishes what is on disk, then sells ORDER, which is JSON text
//     Till settle              only finishes what is on disk; run it at every start
//     Till receipt SALE-ID     prints another copy
//
// It exits 0: sold, or nothing is open any more; 1: not sold; 2: not known yet, or something is still open, run settle
// again; 64: wrong usage; 69: no gateway gave what was asked for; 70: the disk does not take the sale, nothing was
// sent. The environment may set SALES_GATEWAY (addresses with commas between them), SALES_GATEWAY_KEY,
// SALES_GATEWAY_FOLDER (of open sales), SALES_GATEWAY_PRINTER (a file or device; else standard output) and
// SALES_GATEWAY_RECEIPT (its query).
//
// Copyright 2026 The sales-gateway authors. Apache License 2.0.
program Till;
{$IFDEF FPC}{$MODE DELPHI}{$ENDIF}
{$IFNDEF UNIX}{$APPTYPE CONSOLE}{$ENDIF}

uses
  {$IFDEF FPC}{$IFDEF UNIX}BaseUnix,{$ELSE}Windows,{$ENDIF}{$ELSE}Winapi.Windows,{$ENDIF}
  SysUtils, Classes, SalesGateway;

const
  WrongUsage = 64; NoAnswer = 69; NotSent = 70;

type
  TTill = class
    Gateway: TSalesGateway;
    procedure Print(const Receipt: TUtf8);
    function Paid: Boolean;
    procedure Report(const Sale: TResult);
    function Settle: Boolean;
    function Run(const Command: string): Integer;
  end;

// Writes all of the text, and as it is: WriteLn would convert it.
procedure WriteTo(Handle: THandle; const Bytes: TUtf8);
begin
  if FileWrite(Handle, Pointer(Bytes)^, Length(Bytes)) <> Length(Bytes) then RaiseLastOSError;
end;

procedure Say(Handle: THandle; const Text: TUtf8);
begin
  WriteTo(Handle, Text + sLineBreak);
end;

function Output: THandle;
begin
  Result := {$IFDEF UNIX}StdOutputHandle{$ELSE}GetStdHandle(STD_OUTPUT_HANDLE){$ENDIF};
end;

function Errors: THandle;
begin
  Result := {$IFDEF UNIX}StdErrorHandle{$ELSE}GetStdHandle(STD_ERROR_HANDLE){$ENDIF};
end;

function Setting(const Name, Usual: string): string;
begin
  Result := GetEnvironmentVariable(Name);
  if Result = '' then Result := Usual;
end;

// Appends the receipt to the printer. A device has it after the write, and a file when it is on the disk.
procedure TTill.Print(const Receipt: TUtf8);
var
  Name: string;
  Printer: THandle;
  {$IFDEF UNIX}Kind: Stat;{$ENDIF}
begin
  Name := Setting('SALES_GATEWAY_PRINTER', '');
  if Name = '' then
  begin
    WriteTo(Output, Receipt);
    Exit;
  end;
  {$IFDEF UNIX}
  Printer := FpOpen(Name, O_WRONLY or O_CREAT or O_APPEND, &666);
  {$ELSE}
  Printer := CreateFile(PChar(Name), FILE_APPEND_DATA, FILE_SHARE_READ, nil, OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, 0);
  {$ENDIF}
  if Printer = THandle(-1) then RaiseLastOSError;
  try
    WriteTo(Printer, Receipt);
    {$IFDEF UNIX}
    Kind := Default(Stat);
    if (FpFStat(Printer, Kind) = 0) and FpS_ISREG(Kind.st_mode) and not FileFlush(Printer) then RaiseLastOSError;
    {$ELSE}
    if (GetFileType(Printer) = FILE_TYPE_DISK) and not FlushFileBuffers(Printer) then RaiseLastOSError;
    {$ENDIF}
  finally
    FileClose(Printer);
  end;
end;

function TTill.Paid: Boolean;
var
  Answer: string;
begin
  Answer := '';
  Write(ErrOutput, 'Paid? [y/n] ');
  {$IFDEF FPC}System.Flush(ErrOutput);{$ENDIF}
  if not Eof then ReadLn(Answer);
  Answer := LowerCase(Trim(Answer));
  Result := (Answer = 'y') or (Answer = 'yes');
end;

procedure TTill.Report(const Sale: TResult);
var
  Line: TUtf8;
begin
  Line := TUtf8(Sale.Outcome + ' ' + Sale.Key + ' ' + Sale.SaleId);
  if Sale.Outcome = 'not_sold' then Line := Line + ' ' + StringReplace(Sale.Detail, #10, ' ', [rfReplaceAll]);
  if (Sale.Outcome = 'sold') and not Sale.Printed then
  begin
    Say(Output, Line + ' (receipt not printed yet: run settle)');
    Say(Errors, 'The receipt is not printed: ' + Sale.Detail);
  end
  else Say(Output, Line);
  if Sale.Outcome = 'pending' then
    Say(Errors, 'It is not known yet whether this is sold (' + Sale.Detail + '): run settle again');
end;

// Says whether nothing is left open.
function TTill.Settle: Boolean;
var
  Sale: TResult;
begin
  Result := True;
  for Sale in Gateway.Settle do
  begin
    Report(Sale);
    Result := Result and (Sale.Printed or (Sale.Outcome = 'not_sold'));
  end;
end;

function TTill.Run(const Command: string): Integer;
var
  Sale: TResult;
begin
  Result := 0;
  if Command = 'options' then Say(Output, Gateway.Options(ParamStr(2)))
  else if Command = 'receipt' then Print(Gateway.Receipt(ParamStr(2)))
  else if not Settle and (Command = 'settle') then Result := 2
  else if Command = 'sell' then
  begin
    Sale := Gateway.Sell(ParamStr(2), Paid);
    Report(Sale);
    if Sale.Outcome = 'not_sold' then Result := 1;
    if Sale.Outcome = 'pending' then Result := 2;
  end;
end;

var
  Cashier: TTill;
  Command: string;
begin
  Command := ParamStr(1);
  if not (((Command = 'options') and (ParamCount <= 2)) or ((Command = 'settle') and (ParamCount = 1)) or
    (((Command = 'sell') or (Command = 'receipt')) and (ParamCount = 2))) then
  begin
    Say(Errors, 'usage: Till options [QUERY] | sell ORDER | settle | receipt SALE-ID');
    Halt(WrongUsage);
  end;
  Cashier := TTill.Create;
  try
    Cashier.Gateway := TSalesGateway.Create;
    Cashier.Gateway.Addresses := Setting('SALES_GATEWAY', 'http://127.0.0.1:8080').Split([',']);
    Cashier.Gateway.TerminalKey := Setting('SALES_GATEWAY_KEY', 'demo-key-caixa-01');
    Cashier.Gateway.Folder := Setting('SALES_GATEWAY_FOLDER', 'open-sales');
    Cashier.Gateway.Print := Cashier.Print;
    Cashier.Gateway.ReceiptQuery := Setting('SALES_GATEWAY_RECEIPT', 'format=text');
    ExitCode := Cashier.Run(Command);
  except
    on Error: ENotSent do
    begin
      Say(Errors, TUtf8(Error.Message) + '. Make room on the disk or mend it, then sell again.');
      ExitCode := NotSent;
    end;
    on Error: Exception do
    begin
      Say(Errors, 'It did not work: ' + TUtf8(Error.Message));
      ExitCode := NoAnswer;
    end;
  end;
  Cashier.Gateway.Free;
  Cashier.Free;
end.
