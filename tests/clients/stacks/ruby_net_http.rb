require 'net/http'
require 'uri'

base, *folders = ARGV
address = URI(base)
Net::HTTP.start(address.host, address.port) do |http|
  folders.each do |folder|
    method = File.read("#{folder}/method")
    request = Net::HTTP.const_get(method.capitalize).new(File.read("#{folder}/path"))
    File.readlines("#{folder}/fields", chomp: true).each do |line|
      name, value = line.split(': ', 2)
      request[name] = value
    end
    request.body = File.binread("#{folder}/body") if File.exist?("#{folder}/body")
    answer = http.request(request)
    File.binwrite("#{folder}/answer-body", answer.body || '')
    File.write("#{folder}/answer-fields", answer.each_header.map { |name, value| "#{name}: #{value}\n" }.join)
    File.write("#{folder}/answer-status", answer.code)
  end
end
